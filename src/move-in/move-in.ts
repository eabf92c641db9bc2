import { randomUUID } from "node:crypto";
import { addFilesTo } from "../core/bulk.js";
import type { Memory } from "../core/memory.js";
import { assertMemory } from "../core/mounts/mounts.js";
import { invalid, MemoryError } from "../core/values/errors.js";
import { getField } from "../core/values/unknown-values.js";
import { Mover } from "./mover.js";
import { checkMoveInOptions, type MoveInOptions, type MoveInSettings } from "./options.js";
import { type MoveInReport, ReportWriter } from "./report.js";
import { proposeTo, type StoreFiles, writeToCopy } from "./write-files.js";

/** The client that versions and proposals of a move name. */
const moveInClient = "import";

/** The server lets the transaction of a process that was killed stand in the way for a minute. */
const timeoutMs = 120_000;

/**
 * Moves the memories of another program into a memory: as files, or conversations into the log. Each item is taken once:
 * a second run of the same source changes nothing, and a run after a crash writes what is missing. Reads the source from
 * its start to its end, and keeps only a part of it in memory.
 *
 * @returns the counts of the outcomes: nothing is left out without a reason
 * @throws TypeError for bad options; MemoryError EINVAL for a source of another kind, or that cannot be read; the errors
 * of a store or stream, and of the memory. Moved entries stay: `details.moved` of a MemoryError counts them
 */
export async function moveIn(memory: Memory, options: MoveInOptions): Promise<MoveInReport> {
  assertMemory(memory, "moveIn: memory");
  const settings = checkMoveInOptions(memory, options);
  const { format, source, namespace, signal, onOutcome } = settings;
  const actor = { client: moveInClient, runId: `${moveInClient}-${randomUUID()}` };
  const target = memory.with({ actor, timeoutMs, ...(signal && { signal }) });
  const reporter = new ReportWriter(actor.runId, onOutcome);
  const mover = new Mover(target, settings, reporter, await openWriter(target, settings, actor));
  try {
    for await (const item of format.read(source, { namespace })) {
      signal?.throwIfAborted();
      if ("why" in item) reporter.skip(item.what, item.why);
      else if ("messages" in item) await mover.addConversation(item);
      else await mover.addEntry(item);
    }
    await mover.flush();
  } catch (error) {
    throw withMoved(error, reporter.report);
  }
  return reporter.report;
}

/** Returns the error that ends a move, with the report until then. An error of the file system is one of the source. */
function withMoved(error: unknown, report: MoveInReport): unknown {
  const code = typeof getField(error, "syscall") === "string" ? String(getField(error, "code")) : null;
  const ended = code === null ? error : invalid(`the source cannot be read (${code})`, error);
  if (!MemoryError.isInstance(ended)) return ended;
  const { losses: _, runId: __, ...moved } = report;
  return Object.assign(ended, { details: { ...ended.details, moved } });
}

async function openWriter(
  memory: Memory,
  { dryRun, propose, name }: MoveInSettings,
  actor: { client: string; runId: string },
): Promise<StoreFiles> {
  const proposing = propose ? proposeTo(memory, actor, `moved in from ${name}`) : null;
  return dryRun ? writeToCopy(memory) : (proposing ?? ((files) => addFilesTo(memory, files)));
}
