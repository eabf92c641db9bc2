import { describe, expect, it } from "@jest/globals";
import { Call } from "../../../src/core/runtime/call.js";
import { type JointTask, TurnQueue, type TurnQueueSettings } from "../../../src/core/runtime/turn-queue.js";
import { MemoryError } from "../../../src/core/values/errors.js";

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
    const sent = turns.reduce((sum, turn) => sum + (typeof turn === "string" ? 0 : turn.length), 0);
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
    const [hanging, next] = [createCall(30_000), createCall(30_000)];
    void queue.run("memory", () => new Promise(() => undefined), hanging);
    const [second, third] = [rejection(add(2, next)), add(3)];
    hanging.abort(late);
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
