import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type DueMemories, type DueMemory, dueMemories } from "../core/contract/due-memories.js";
import type { Memory } from "../core/memory.js";
import { checkOptions, countField } from "../core/settings/check-options.js";
import { invalid } from "../core/values/errors.js";
import { getField, hasMethod } from "../core/values/unknown-values.js";
import { toConfig } from "../graph/after-run.js";
import type { MemoryNode } from "../graph/memory-node.js";
import type { MongoMemoryStore } from "../mongodb/store/mongo-memory-store.js";
import { runLearn } from "./learn.js";
import { checkLearnOptions, learnSchema, type LearnOptions, type LearnSettings } from "./options.js";
import { createReport, type LearnReport } from "./report.js";

const dayMs = 86_400_000;

/** The time for which a memory is not due after a failed run, so that other memories come first. */
const pauseMs = 15 * 60_000;

const dueSchema = learnSchema.omit({ memory: true, messages: true, changes: true }).extend({
  store: z.custom<MongoMemoryStore & { [dueMemories]: DueMemories }>(
    (store) => getField(store, dueMemories) !== undefined,
    "must be a MongoMemoryStore",
  ),
  nodes: z.array(z.custom<MemoryNode>((node) => hasMethod(node, "memoryForRun"), "must be a MemoryNode")).min(1),
  due: z
    .strictObject({ changes: countField.default(5), intervalMs: z.number().min(0).default(dayMs) })
    .default({ changes: 5, intervalMs: dayMs }),
  limit: countField.max(1000).default(20),
});

/**
 * Learns from the memories of nodes that are due, one after another: those with enough changes and enough time since
 * their last good run, which an index finds. For cron and serverless functions. The next call goes on where this one
 * has ended, and several processes may call it at once. A run that failed does not end the others: its report has the
 * error, and the memory is due again after 15 minutes.
 *
 * @param options.due.changes the least number of changes. Default: 5
 * @param options.due.intervalMs the least time since the last good run, or since the creation. Default: a day
 * @param options.limit how many memories this call works on at most. Default: 20
 * @returns a report for each of them
 * @throws TypeError for bad options; MemoryError EIO if no memories can be found; the reason of the signal
 */
export async function learnDue(
  options: Omit<LearnOptions, "memory" | "changes"> & {
    store: MongoMemoryStore;
    nodes: MemoryNode[];
    due?: { changes?: number; intervalMs?: number };
    limit?: number;
  },
): Promise<LearnReport[]> {
  const { store, nodes, due, limit } = checkOptions("options of learnDue", dueSchema, options);
  const { store: _store, nodes: _nodes, due: _due, limit: _limit, ...learnOptions } = options;
  const reports: LearnReport[] = [];
  for (const node of nodes) {
    const settings = checkLearnOptions({ ...learnOptions, memory: node });
    const { nodeId, scope } = node;
    const left = limit - reports.length;
    const found = left === 0 ? [] : await store[dueMemories].find({ nodeId, scope, ...due, limit: left });
    for (const memory of found) reports.push(await learnFromDue(settings, { store, node, memory, ...due }));
  }
  return reports;
}

interface DueRun {
  store: MongoMemoryStore & { [dueMemories]: DueMemories };
  node: MemoryNode;
  memory: DueMemory;
  intervalMs: number;
}

async function learnFromDue(settings: LearnSettings, run: DueRun): Promise<LearnReport> {
  const { store, memory: due, intervalMs } = run;
  const waiting = store[dueMemories];
  try {
    const report = await runLearn({ ...settings, memory: await openMemory(run) }, []);
    // If there are more versions, or if another process works on the memory, the memory stays due.
    if (!report.busy && !report.more) await waiting.settle(due, { changes: due.changes, agoMs: 0 });
    return report;
  } catch (error) {
    settings.signal?.throwIfAborted();
    await waiting.settle(due, { changes: 0, agoMs: Math.max(0, intervalMs - pauseMs) }).catch(() => undefined);
    return createReport(due.address, { error });
  }
}

/** Opens a memory with the rules and the guard of its node. @throws MemoryError EINVAL if the node opens another one */
async function openMemory({ store, node, memory: { address } }: DueRun): Promise<Memory> {
  const { nodeId: _node, scope: _scope, ...owner } = address;
  const memory = await node.memoryForRun({ config: toConfig({ store }), ...owner });
  if (!isDeepStrictEqual({ ...memory.address }, { ...address }))
    throw invalid("the functions of the node choose another memory");
  return memory;
}
