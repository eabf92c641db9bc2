import { expect, it, describe } from "@jest/globals";
import { BSON, type Collection, type Document } from "mongodb";
import { Call, createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { getCommandSignal } from "../../../src/mongodb/driver/command-signal.js";
import { storageError } from "../../../src/mongodb/driver/errors.js";
import { ExactCollection } from "../../../src/mongodb/driver/exact-collection.js";
import { mergeOrdered, splitIntoChunks, takePage } from "../../../src/mongodb/driver/ordered-streams.js";

const stopped = new Error("stopped");

class CountingCall extends Call {
  listeners = 0;

  override onAbort(listener: () => void): void {
    this.listeners += 1;
    super.onAbort(listener);
  }
}

it("tells the listeners of every command of a call why it is over, once", () => {
  const call = new Call({ actor: null, timeoutMs: Infinity });
  const signal = getCommandSignal(call);
  const reasons: unknown[] = [];
  function listen(this: AbortSignal): void {
    reasons.push(this.reason);
    signal.removeEventListener("abort", listen);
  }
  signal.addEventListener("abort", listen, { once: true });
  signal.addEventListener("abort", () => reasons.push("second"));
  signal.throwIfAborted();
  expect(signal.aborted).toBe(false);
  call.abort(stopped);
  expect([reasons, signal.aborted, signal.reason]).toEqual([[stopped, "second"], true, stopped]);
  expect(() => signal.throwIfAborted()).toThrow(stopped);
});

it("tells no listener that has gone, and collects none at a call of many commands", () => {
  const call = new CountingCall({ actor: null, timeoutMs: Infinity });
  const heard: string[] = [];
  for (let command = 0; command < 100; command += 1) {
    const listen = (): number => heard.push("gone");
    getCommandSignal(call).addEventListener("abort", listen);
    getCommandSignal(call).removeEventListener("abort", listen);
  }
  call.abort(stopped);
  expect([call.listeners, heard]).toEqual([1, []]);
});

/** The error of a pool, as the driver throws it for a first attempt and also for a second one. */
class WaitQueueTimeout extends Error {
  override readonly name = "MongoWaitQueueTimeoutError";
}

it.each([
  ["nothing more of a write that waited for a connection from the start", false],
  ["that the outcome is unknown of a write that was sent and waited for another connection", true],
])("says %s", async (_name, isSent) => {
  const fail = (...args: Document[]): Promise<never> => {
    if (isSent) BSON.serialize({ command: args.at(-1) });
    return Promise.reject(new WaitQueueTimeout());
  };
  const methods = { updateOne: fail, updateMany: fail, deleteOne: fail, deleteMany: fail, findOneAndUpdate: fail };
  const driver = { ...methods, findOneAndDelete: fail } as unknown as Collection;
  const collection = new ExactCollection(driver);
  const call = createUnlimitedCall();
  const writes = [
    collection.updateOne({}, {}, call),
    collection.updateMany({}, {}, call),
    collection.deleteOne({}, call),
    collection.deleteMany({}, call),
    collection.findOneAndUpdate({}, {}, call, {}),
    collection.findOneAndDelete({}, call, {}),
  ];
  for (const write of writes) {
    const error = await write.then(
      () => null,
      (reason: unknown) => storageError(reason, "write", null),
    );
    const unknown = isSent ? "; the outcome is unknown" : "";
    expect(error?.message).toBe(`EIO: MongoDB did not answer (no connection of the pool was free in time)${unknown}`);
  }
});

/** Says in `closed` that its reader has left. */
async function* counted(batches: number[][], closed: number[][][], fail = false): AsyncGenerator<number[]> {
  try {
    yield* batches;
    if (fail) throw new Error("broken");
  } finally {
    closed.push(batches);
  }
}

const byValue = (a: number, b: number): number => a - b;
const everything = [0, Infinity] as const;

describe("mergeOrdered", () => {
  it("merges streams of any number of batches into one order", async () => {
    const streams = [[[1, 4], [9]], [], [[2], [], [3, 10]], [[4]], [[]]].map((batches) => counted(batches, []));
    expect(await takePage(mergeOrdered(streams, byValue), ...everything)).toEqual([1, 2, 3, 4, 4, 9, 10]);
    expect(await takePage(mergeOrdered([], byValue), ...everything)).toEqual([]);
  });

  it("yields no element before it knows every stream's next one", async () => {
    const streams = [counted([[1, 5, 6]], []), counted([[2], [3]], [])];
    const batches = [];
    for await (const batch of mergeOrdered(streams, byValue)) batches.push(batch);
    expect(batches).toEqual([[1, 2], [3], [5, 6]]);
  });

  it("closes all streams when its reader leaves, and when one breaks", async () => {
    const closed: number[][][] = [];
    expect(
      await takePage(mergeOrdered([counted([[1], [2]], closed), counted([[3], [4]], closed)], byValue), 0, 1),
    ).toEqual([1]);
    expect(closed).toHaveLength(2);
    const broken = mergeOrdered([counted([], closed, true), counted([[3]], closed)], byValue);
    await expect(takePage(broken, 0, 1)).rejects.toThrow("broken");
    expect(closed).toHaveLength(4);
  });
});

describe("takePage", () => {
  it("skips the offset and reads no batch behind the limit", async () => {
    const read: number[] = [];
    async function* pairs(): AsyncGenerator<number[]> {
      for (let number = 0; ; number += 2) {
        read.push(number);
        yield [number, number + 1];
      }
    }
    expect(await takePage(pairs(), 3, 3)).toEqual([3, 4, 5]);
    expect(read).toEqual([0, 2, 4]);
    expect(await takePage(pairs(), 2, 0)).toEqual([]);
  });
});

describe("splitIntoChunks", () => {
  it("makes arrays of one length, and a shorter last one", async () => {
    const chunks = [];
    for await (const chunk of splitIntoChunks(counted([[1], [2, 3, 4], [5]], []), 2)) chunks.push(chunk);
    expect(chunks).toEqual([[1, 2], [3, 4], [5]]);
  });
});
