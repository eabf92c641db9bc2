import type { CliContext } from "../context.js";
import { exitCodes } from "../errors.js";
import type { Output } from "./output.js";

/**
 * Prints each item as it arrives. With `--json`, prints an object for each. The command exits with 1 if there is no
 * item.
 * @param none the text on the standard error if there is no item
 * @param header the line above the items, on a terminal only
 */
export async function printEach<Item extends object>(
  context: CliContext,
  json: boolean | undefined,
  items: AsyncIterable<Item> | Iterable<Item>,
  format: (item: Item, out: Output) => string,
  none?: string,
  header?: string,
): Promise<void> {
  const { out, err } = context;
  let isEmpty = true;
  for await (const item of items) {
    if (isEmpty && header !== undefined && !json && out.isTerminal) await out.line(out.style("bold", header));
    isEmpty = false;
    await (json ? out.json(item) : out.line(format(item, out)));
  }
  if (!isEmpty) return;
  if (none !== undefined) await err.line(none);
  context.exitCode = exitCodes.refused;
}
