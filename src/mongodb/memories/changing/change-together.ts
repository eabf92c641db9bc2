import { type CallContext, createCommonCall } from "../../../core/runtime/call.js";
import type { JointTask } from "../../../core/runtime/turn-queue.js";
import type { ChangeResult } from "../../../core/tree/change.js";
import { type JointChange, prepare } from "../memory-context.js";
import { makeChanges, type SentChange } from "./page-writes.js";
import { planAttempt, toChangeResult } from "./transact.js";

/** A change that waits with others. */
export type JointChangeTask = JointTask<JointChange, ChangeResult>;

/** Makes changes of one memory with one command for each page. Those that are not made then stay as they are. */
export async function makeTogether(tasks: readonly JointChangeTask[]): Promise<void> {
  const [first] = tasks;
  if (first === undefined) return;
  const { memory } = first.item;
  await prepare(memory);
  const call = createCommonCall(tasks.map((task) => task.call));
  const now = memory.clock();
  const pages = new Map<unknown, { task: JointChangeTask; sent: SentChange }[]>();
  for (const task of tasks) {
    const { item, call: by } = task;
    const attempt = planAttempt(item.memory, item.change, { now, maxFileBytes: item.maxFileBytes });
    if (attempt === null) break;
    const { isHead, filter } = attempt.options.target;
    const page = isHead ? null : JSON.stringify(filter);
    const changes = pages.get(page) ?? [];
    pages.set(page, changes);
    changes.push({ task, sent: { ...attempt, memory: item.memory, call: by } });
  }
  await Promise.all(Array.from(pages.values(), (changes) => makeOnPage(changes, call)));
}

async function makeOnPage(
  changes: readonly { task: JointChangeTask; sent: SentChange }[],
  call: CallContext,
): Promise<void> {
  try {
    const made = await makeChanges(
      changes.map(({ sent }) => sent),
      call,
    );
    changes.slice(0, made.length).forEach(({ task, sent }, index) => {
      const own = made[index];
      if (own !== undefined) task.resolve(toChangeResult(task.item.change, own, sent.options.at));
    });
  } catch (error) {
    for (const { task } of changes) task.reject(error);
  }
}
