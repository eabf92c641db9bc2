import type { OutlineFile } from "../core/memory.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import { nextTurn } from "../core/runtime/turns.js";
import { shorten } from "../core/values/text.js";

/** How much of each text is read for its description. */
export const leadChars = 500;

const maxDescriptionChars = 120;

/** Each takes the YAML library a tenth of a millisecond. */
const filesPerTurn = 100;

/** A model is called again and again with much the same files. */
const cached = new RecentMap<string | null>(2000);

/**
 * What files say of themselves, by path, in one line: the `description` of the YAML front matter, else the first line
 * that is not empty.
 */
export async function getDescriptions(files: readonly OutlineFile[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let parsed = 0;
  for (const { path, lead = "" } of files) {
    let description = cached.get(lead);
    if (description === undefined) {
      parsed += 1;
      if (parsed % filesPerTurn === 0) await nextTurn();
      description = await readDescription(lead);
      cached.set(lead, description);
    }
    if (description !== null) found.set(path, shorten(description, maxDescriptionChars));
  }
  return found;
}

async function readDescription(lead: string): Promise<string | null> {
  const [opening] = /^---[ \t]*\r?\n/.exec(lead) ?? [];
  if (opening === undefined) return getFirstLine(lead);
  const rest = lead.slice(opening.length);
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  // The start of the text may end inside the front matter, in the middle of a line.
  const frontMatter = rest.slice(0, closing?.index ?? rest.lastIndexOf("\n") + 1);
  return (
    (await readFrontMatter(frontMatter)) ??
    (closing === null ? null : getFirstLine(rest.slice(closing.index + closing[0].length)))
  );
}

async function readFrontMatter(frontMatter: string): Promise<string | null> {
  if (!/^description[ \t]*:/m.test(frontMatter)) return null;
  const { isMap, parseDocument } = await import("yaml");
  const { contents } = parseDocument(frontMatter, { logLevel: "silent" });
  const description: unknown = isMap(contents) ? contents.get("description") : null;
  return typeof description === "string" ? getFirstLine(description.replaceAll(/\s+/g, " ")) : null;
}

function getFirstLine(text: string): string | null {
  return (
    text
      .split(/\r\n?|\n/)
      .map((line) => line.trim())
      .find((line) => line !== "") ?? null
  );
}
