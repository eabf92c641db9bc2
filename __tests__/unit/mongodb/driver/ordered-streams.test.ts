import { describe, expect, it } from "@jest/globals";
import { mergeOrdered, takePage } from "../../../../src/mongodb/driver/ordered-streams.js";

/** Says in `closed` that its reader has left. */
async function* counted(numbers: number[], closed: number[][], fail = false): AsyncGenerator<number> {
  try {
    yield* numbers;
    if (fail) throw new Error("broken");
  } finally {
    closed.push(numbers);
  }
}

const byValue = (a: number, b: number): number => a - b;

describe("mergeOrdered", () => {
  it("merges any number of streams into one order", async () => {
    const streams = [[1, 4, 9], [], [2, 3, 10], [4]].map((numbers) => counted(numbers, []));
    expect(await takePage(mergeOrdered(streams, byValue), 0, Infinity)).toEqual([1, 2, 3, 4, 4, 9, 10]);
    expect(await takePage(mergeOrdered([], byValue), 0, Infinity)).toEqual([]);
  });

  it("closes all streams when its reader leaves, and when one breaks", async () => {
    const closed: number[][] = [];
    expect(await takePage(mergeOrdered([counted([1, 2], closed), counted([3, 4], closed)], byValue), 0, 1)).toEqual([
      1,
    ]);
    expect(closed).toHaveLength(2);
    await expect(
      takePage(mergeOrdered([counted([], closed, true), counted([3, 4], closed)], byValue), 0, 1),
    ).rejects.toThrow("broken");
    expect(closed).toHaveLength(4);
  });
});

describe("pageOf", () => {
  it("skips the offset and reads no further than the limit", async () => {
    const read: number[] = [];
    async function* numbers(): AsyncGenerator<number> {
      for (let number = 0; ; number += 1) {
        read.push(number);
        yield number;
      }
    }
    expect(await takePage(numbers(), 2, 3)).toEqual([2, 3, 4]);
    expect(read).toEqual([0, 1, 2, 3, 4]);
    expect(await takePage(numbers(), 2, 0)).toEqual([]);
  });
});
