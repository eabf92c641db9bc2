import { describe, expect, it } from "@jest/globals";
import { mergeOrdered, splitIntoChunks, takePage } from "../../../../src/mongodb/driver/ordered-streams.js";

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
