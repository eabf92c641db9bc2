import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, afterEach, beforeEach, jest } from "@jest/globals";
import { type Memory, MemoryError, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { HangingStore, LosingStore } from "../../helpers/hanging-store.js";
import { createUnlimitedCall, withinTime, Call } from "../../../src/core/runtime/call.js";
import { runInTimeSlices, type Steps } from "../../../src/core/runtime/time-slices.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { mergeSort, sortInTimeSlices } from "../../../src/core/runtime/sort-in-steps.js";
import { type JointTask, TurnQueue, type TurnQueueSettings } from "../../../src/core/runtime/turn-queue.js";
import { RecentMap } from "../../../src/core/runtime/recent-map.js";

const stopped = new Error("stopped");

/** Every call of a memory that reads, and every one that changes it. */
const reads: Record<string, (memory: Memory) => Promise<unknown>> = {
  read: (memory) => memory.read("/a"),
  list: (memory) => memory.list(),
  stat: (memory) => memory.stat("/a"),
  snapshot: (memory) => memory.snapshot(),
  outline: (memory) => memory.outline(),
};
const changes: Record<string, (memory: Memory) => Promise<unknown>> = {
  append: (memory) => memory.append("/a", "x"),
  update: (memory) => memory.update("/a", "x", "y"),
  delete: (memory) => memory.delete("/a"),
  write: (memory) => memory.write("/a", "x"),
  edit: (memory) => memory.edit("/a", (text) => text),
  rename: (memory) => memory.rename("/a", "/b"),
};

function hanging(options: { timeoutMs?: number } = {}): { store: HangingStore; memory: Memory } {
  const store = new HangingStore();
  store.hang();
  return { store, memory: openMemory(store, freshAddress(), options) };
}

describe("a storage that never answers one call", () => {
  it.each(Object.entries({ ...reads, ...changes }))(
    "ends that %s, and then answers the next call",
    async (_name, call) => {
      const store = new LosingStore();
      const memory = openMemory(store, freshAddress());
      await memory.write("/a", "x");
      store.next = 1;
      const [hung, next] = await Promise.allSettled([call(memory.with({ timeoutMs: 50 })), memory.append("/b", "y")]);
      expect(hung).toMatchObject({ status: "rejected", reason: { code: "EIO" } });
      expect(next.status).toBe("fulfilled");
      expect(await memory.read("/b")).toBe("y");
    },
  );

  it("is asked for the next call only when the last step of a call that its signal ended is over", async () => {
    const { store, memory } = hanging();
    const controller = new AbortController();
    const ended = memory.with({ signal: controller.signal }).append("/a", "first");
    await turn();
    const next = memory.append("/a", "second");
    controller.abort(stopped);
    await expect(ended).rejects.toBe(stopped);
    await turn();
    expect(store.asked).toBe(1);
    store.goOn();
    await next;
    expect(await memory.read("/a")).toBe("second");
  });
});

describe("a storage that does not answer", () => {
  it.each(Object.entries(reads))("ends %s with EIO when its time is up", async (_name, call) => {
    const { memory } = hanging({ timeoutMs: 5 });
    await expect(call(memory)).rejects.toMatchObject({
      code: "EIO",
      message: "EIO: no answer within 5 ms (timeoutMs)",
    });
  });

  it.each(Object.entries(changes))("ends %s with EIO, which says that the outcome is unknown", async (_name, call) => {
    const { memory } = hanging({ timeoutMs: 5 });
    await expect(call(memory)).rejects.toMatchObject({
      code: "EIO",
      message: "EIO: no answer within 5 ms (timeoutMs); the outcome is unknown",
    });
  });

  it.each(Object.entries({ ...reads, ...changes }))("ends %s with the reason of an abort", async (_name, call) => {
    const { memory } = hanging();
    const controller = new AbortController();
    const outcome = call(memory.with({ signal: controller.signal })).catch((error: unknown) => error);
    await turn();
    controller.abort(stopped);
    expect(await outcome).toBe(stopped);
  });

  it("is asked nothing where the signal has aborted before", async () => {
    const { store, memory } = hanging();
    const aborted = memory.with({ signal: AbortSignal.abort(stopped) });
    for (const call of Object.values({ ...reads, ...changes })) await expect(call(aborted)).rejects.toBe(stopped);
    expect(store.asked).toBe(0);
  });

  it("is asked nothing more, when it goes on, for calls that were over by then", async () => {
    const { store, memory } = hanging();
    const controller = new AbortController();
    const first = memory.append("/a", "first");
    const queued = memory.with({ signal: controller.signal }).append("/a", "second");
    const underWay = openMemory(store, freshAddress(), { timeoutMs: 1 }).append("/a", "third");
    await expect(underWay).rejects.toMatchObject({ code: "EIO" });
    controller.abort(stopped);
    await expect(queued).rejects.toBe(stopped);
    store.goOn();
    await first;
    expect(await memory.read("/a")).toBe("first");
    expect(await store.search(["memory"], {})).toHaveLength(1);
  });

  it("leaves no unhandled rejection where it fails later", async () => {
    const { store, memory } = hanging({ timeoutMs: 1 });
    await expect(memory.read("/a")).rejects.toMatchObject({ code: "EIO" });
    store.goOn(new Error("too late"));
    // Jest fails a test during which a rejection goes unhandled.
    await turn();
  });
});

describe("a signal", () => {
  it("has one listener during any number of calls, and none after them", async () => {
    const { signal } = new AbortController();
    const store = new HangingStore();
    const memory = openMemory(store, freshAddress()).with({ signal });
    await memory.write("/a", "x");
    const calls = Array.from({ length: 1000 }, () => memory.read("/a"));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.all(calls);
    await expect(memory.read("/b")).rejects.toMatchObject({ code: "ENOENT" });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("ends the calls beside those of another", async () => {
    const { memory } = hanging();
    const [first, second] = [new AbortController(), new AbortController()];
    const both = memory.with({ signal: first.signal }).with({ signal: second.signal });
    first.abort(stopped);
    await expect(both.read("/a")).rejects.toBe(stopped);
    const outcome = memory
      .with({ signal: second.signal })
      .with({ timeoutMs: 60_000 })
      .read("/a")
      .catch((error: unknown) => error);
    second.abort(stopped);
    expect(await outcome).toBe(stopped);
  });
});

describe("no process is kept alive", () => {
  const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  it("by the timer of a call", async () => {
    const { store, memory } = hanging();
    const before = countTimers();
    const call = memory.list("/");
    expect(countTimers()).toBe(before);
    // Its time would be up while the worker runs another file, with nobody there for the failure.
    store.goOn();
    expect(await call).toEqual([]);
  });

  it("by the wait for the last step of a call that its signal ended", async () => {
    const { store, memory } = hanging();
    const before = countTimers();
    const controller = new AbortController();
    const ended = memory.with({ signal: controller.signal }).append("/a", "x");
    await turn();
    controller.abort(stopped);
    await expect(ended).rejects.toBe(stopped);
    expect(countTimers()).toBe(before);
    store.goOn();
  });
});

describe("the options of a memory's use", () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, "100", null])("refuse a timeoutMs of %p", (timeoutMs) => {
    const words = /timeoutMs: must be a whole number of ms from 1 to 2147483647, or Infinity for no limit \(given /;
    const memory = openMemory(new HangingStore(), freshAddress());
    for (const use of [
      () => openMemory(new HangingStore(), freshAddress(), { timeoutMs: timeoutMs as number }),
      () => memory.with({ timeoutMs: timeoutMs as number }),
    ]) {
      expect(use).toThrow(TypeError);
      expect(use).toThrow(words);
    }
  });

  it("refuse what is no signal, and what is not known", () => {
    const memory = openMemory(new HangingStore(), freshAddress());
    expect(() => memory.with({ signal: {} as AbortSignal })).toThrow(
      "signal: must be an AbortSignal (given an object)",
    );
    expect(() => memory.with({ actor: { name: "ada" } as never })).toThrow(/unknown option "actor.name"/);
  });

  it("wait without end by Infinity", async () => {
    const { store, memory } = hanging({ timeoutMs: Infinity });
    const call = memory.write("/a", "x");
    await turn();
    store.goOn();
    expect(await call).toMatchObject({ sizeBytes: 1 });
    expect(MemoryError.isInstance(await memory.read("/b").catch((error: unknown) => error))).toBe(true);
  });
});

function* endless(): Steps<never> {
  for (;;) yield;
}

function* stepping(steps: number): Steps<string> {
  for (let step = 0; step < steps; step += 1) yield;
  return "done";
}

describe("work in time slices", () => {
  let nowMs = 0;
  /** Whoever looks at the clock has worked for a millisecond. */
  beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 1)));
  afterEach(() => void jest.restoreAllMocks());

  it("leaves the event loop to others each 10 ms", async () => {
    let turns = 0;
    const work = runInTimeSlices(stepping(100), null);
    const done = work.then(() => true);
    while (!(await Promise.race([done, turn(false)]))) turns += 1;
    expect(await work).toBe("done");
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  it("shares the 10 ms with the work before it, if one call waits for both", async () => {
    let turns = 0;
    setImmediate(() => (turns += 1));
    const call = createUnlimitedCall();
    await runInTimeSlices(stepping(6), call);
    expect(turns).toBe(0);
    await runInTimeSlices(stepping(6), call);
    expect(turns).toBe(1);
  });

  it("ends when the time of its call is up", async () => {
    let work: Promise<never> | undefined;
    const call = withinTime(
      { signals: [], timeoutMs: 5 },
      "read",
      (limited) => (work = runInTimeSlices(endless(), limited)),
    );
    const timeout = { code: "EIO", message: "EIO: no answer within 5 ms (timeoutMs)" };
    await expect(call).rejects.toMatchObject(timeout);
    await expect(work).rejects.toMatchObject(timeout);
  });

  it("ends with the reason of a signal", async () => {
    const controller = new AbortController();
    const work = runInTimeSlices(endless(), controller.signal);
    setImmediate(() => controller.abort(new Error("stopped")));
    await expect(work).rejects.toThrow("stopped");
  });
});

const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;

/** Elements whose keys repeat, so that only a stable sort keeps their order. */
const createList = (length: number, keys: number): { key: number; index: number }[] =>
  Array.from({ length }, (_, index) => ({ key: (index * 7919) % keys, index }));

describe("a sort in turns", () => {
  it("gives what the sort of the language gives, for any length", async () => {
    const property = fc.asyncProperty(fc.nat(40_000), fc.integer({ min: 1, max: 50_000 }), async (length, keys) => {
      const list = createList(length, keys);
      expect(await sortInTimeSlices(list, byKey, null)).toEqual(list.toSorted(byKey));
    });
    await assertProperty(property, { usual: 6, long: 50 });
  });

  it("pauses after each few thousand elements", () => {
    let pauses = 0;
    for (const work = mergeSort(createList(100_000, 1000), byKey); work.next().done !== true;) pauses += 1;
    // 20 pieces, which are merged five times.
    expect(pauses).toBeGreaterThan(60);
  });

  it("ends when nobody waits for it any more", async () => {
    const waiting = AbortSignal.abort(new Error("enough"));
    const slow = (a: { key: number }, b: { key: number }): number => {
      for (let step = 0; step < 200; step += 1) a.key += 0;
      return byKey(a, b);
    };
    await expect(sortInTimeSlices(createList(200_000, 1000), slow, waiting)).rejects.toThrow("enough");
  });
});

type Settings = TurnQueueSettings<number, string>;

/** A queue of numbers, in which all are done together but those that `isRefused` names. Tells what it does. */
function createQueue({
  isRefused = () => false,
  ...settings
}: Partial<Settings> & { isRefused?: (item: number) => boolean }): {
  queue: TurnQueue<number, string>;
  turns: (number[] | string)[];
  add: (item: number, call?: Call) => Promise<string>;
} {
  const turns: (number[] | string)[] = [];
  const doTogether = async (tasks: readonly JointTask<number, string>[]): Promise<void> => {
    turns.push(tasks.map(({ item }) => item));
    await Promise.resolve();
    for (const { item, resolve } of tasks) {
      if (isRefused(item)) return;
      resolve(`${item} together`);
    }
  };
  const queue = new TurnQueue({ mostTasks: 4, mostWeight: 100, doTogether, ...settings });
  const add = (item: number, call = createCall()): Promise<string> =>
    queue.join("memory", item, item, () => doAlone(item), call);
  const doAlone = async (item: number): Promise<string> => {
    turns.push(`${item}`);
    return `${item} alone`;
  };
  return { queue, turns, add };
}

const createCall = (timeoutMs = Infinity): Call => new Call({ actor: null, timeoutMs });
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (error: unknown) => error,
  );

describe("a queue of turns", () => {
  it("does the first task at once, and those that came meanwhile together, in their order", async () => {
    const { turns, add } = createQueue({});
    const answers = await Promise.all([1, 2, 3].map((item) => add(item)));
    expect(answers).toEqual(["1 alone", "2 together", "3 together"]);
    expect(turns).toEqual(["1", [2, 3]]);
  });

  it("takes no more tasks into a turn than it may, and no more than they may weigh", async () => {
    const { turns, add } = createQueue({});
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => add(item)));
    expect(turns).toEqual(["1", [2, 3, 4, 5], [6, 7]]);
    const heavy = createQueue({ mostWeight: 50 });
    await Promise.all([1, 20, 30, 40, 60].map((item) => heavy.add(item)));
    expect(heavy.turns).toEqual(["1", [20, 30], "40", "60"]);
  });

  it("does a task that is only done alone between those around it", async () => {
    const { queue, turns, add } = createQueue({});
    const alone = async (): Promise<void> => void turns.push("alone");
    await Promise.all([add(1), add(2), add(3), queue.run("memory", alone, createCall()), add(4), add(5)]);
    expect(turns).toEqual(["1", [2, 3], "alone", [4, 5]]);
  });

  it("does the first task that is left of a turn alone, and then the others in their order", async () => {
    const { turns, add } = createQueue({ isRefused: (item) => item === 3 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((item) => add(item)));
    expect(answers).toEqual(["1 alone", "2 together", "3 alone", "4 alone", "5 alone"]);
    expect(turns).toEqual(["1", [2, 3, 4, 5], "3", "4", "5"]);
  });

  it("sends few tasks in vain where every one is refused", async () => {
    const { turns, add } = createQueue({ mostTasks: 64, mostWeight: Infinity, isRefused: () => true });
    await Promise.all(Array.from({ length: 200 }, (_, item) => add(item)));
    const sent = turns.reduce((sum, taken) => sum + (typeof taken === "string" ? 0 : taken.length), 0);
    expect(sent).toBeLessThan(400);
  });

  it("rejects all tasks of a turn whose outcome is unknown, and goes on", async () => {
    const fault = new Error("no answer");
    const { turns, add } = createQueue({ doTogether: () => Promise.reject(fault) });
    const [first, second, third] = await Promise.all([add(1), rejection(add(2)), rejection(add(3))]);
    expect([first, second, third]).toEqual(["1 alone", fault, fault]);
    expect(await add(4)).toBe("4 alone");
    expect(turns).toEqual(["1", "4"]);
  });

  it("goes on after a task that fails before it returns a promise", async () => {
    const { queue, add } = createQueue({});
    const fail = (): Promise<never> => {
      throw new Error("no promise");
    };
    const [failed, next] = [rejection(queue.run("memory", fail, createCall())), add(1)];
    expect(await failed).toEqual(new Error("no promise"));
    expect(await next).toBe("1 alone");
  });

  it("drops a task whose caller has gone before its turn", async () => {
    const { turns, add } = createQueue({});
    const call = createCall();
    const gone = new Error("gone");
    const [first, second, third] = [add(1), rejection(add(2, call)), add(3)];
    call.abort(gone);
    expect(await Promise.all([first, second, third])).toEqual(["1 alone", gone, "3 alone"]);
    expect(turns).toEqual(["1", "3"]);
  });

  it("goes on when the time of a task is up, without those whose time is up in the same moment", async () => {
    const { queue, turns, add } = createQueue({});
    const late = new MemoryError("EIO", "EIO: no answer");
    const [first, next] = [createCall(30_000), createCall(30_000)];
    void queue.run("memory", () => new Promise(() => undefined), first);
    const [second, third] = [rejection(add(2, next)), add(3)];
    first.abort(late);
    next.abort(late);
    expect(await Promise.all([second, third])).toEqual([late, "3 alone"]);
    expect(turns).toEqual(["3"]);
  });

  it("says of a call whether it still waits, so that its time limit tells that nothing was changed", async () => {
    const calls = Array.from({ length: 4 }, () => Object.assign(createCall(), { isWaiting: true }));
    const seen: boolean[][] = [];
    const look = async (): Promise<string> => {
      seen.push(calls.map(({ isWaiting }) => isWaiting));
      return "";
    };
    const doTogether = async (): Promise<void> => void (await look());
    const { queue } = createQueue({ doTogether });
    await Promise.all(calls.map((call, index) => queue.join("memory", index, 0, look, call)));
    expect(seen.slice(0, 3)).toEqual([
      [false, true, true, true],
      // Three are sent together and refused. The first one is made alone, and the others wait again.
      [false, false, false, false],
      [false, false, true, true],
    ]);
  });

  it("keeps the queues of other keys apart", async () => {
    const { queue, add } = createQueue({});
    void queue.run("other", () => new Promise(() => undefined), createCall());
    expect(await add(1)).toBe("1 alone");
  });
});

it("a map of recent entries forgets what was set longest ago", () => {
  const map = new RecentMap<number>(3);
  for (const key of ["a", "b", "c", "a", "d"]) map.set(key, 1);
  expect([map.size, ...["a", "b", "c", "d"].map((key) => map.get(key))]).toEqual([3, 1, undefined, 1, 1]);
});
