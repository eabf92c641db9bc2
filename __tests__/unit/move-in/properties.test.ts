import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, openMemory } from "../../../src/index.js";
import { moveIn, type MoveInEntry, readEntries } from "../../../src/move-in/index.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";

const fact = fc.record({
  id: fc.uuid(),
  memory: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
  created_at: fc
    .date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true })
    .map((date) => date.toJSON()),
});

const facts = fc.uniqueArray(fact, { maxLength: 12, selector: ({ id }) => id });

const newMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "n" });

/** In chunks of a few bytes, so that characters begin anywhere in a chunk. */
function read(list: readonly object[]) {
  const bytes = Buffer.from(JSON.stringify(list));
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
  return readEntries({ from: "mem0", source: Readable.from(pieces) });
}

/** The items of each list in one order. */
async function treeOf(memory: Memory): Promise<[string, string[]][]> {
  return (await memory.snapshot()).files.map(({ path, content }) => [
    path,
    content
      .split(/\n(?=- )/)
      .map((item) => item.trim())
      .toSorted(),
  ]);
}

describe("moving in", () => {
  it("twice is moving in once, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(facts, fc.infiniteStream(fc.nat()), async (list, numbers) => {
        const memory = newMemory();
        await moveIn(memory, read(list));
        const tree = await treeOf(memory);
        const shuffled = list
          .map((each) => ({ each, order: Number(numbers.next().value) }))
          .toSorted((a, b) => a.order - b.order)
          .map(({ each }) => each);
        expect((await moveIn(memory, read(shuffled))).written).toBe(0);
        expect(await treeOf(memory)).toEqual(tree);
        const other = newMemory();
        await moveIn(other, read(shuffled));
        expect(await treeOf(other)).toEqual(tree);
      }),
      { numRuns: repetitions({ usual: 60, long: 1000 }) },
    );
  });

  it("says in a dry run what it then does", async () => {
    await fc.assert(
      fc.asyncProperty(facts, async (list) => {
        const memory = newMemory();
        const { runId: _, ...planned } = await moveIn(memory, read(list), { dryRun: true });
        expect(await treeOf(memory)).toEqual([]);
        expect(await moveIn(memory, read(list))).toMatchObject(planned);
      }),
      { numRuns: repetitions({ usual: 40, long: 500 }) },
    );
  });

  it("ends between two items when its signal aborts", async () => {
    const controller = new AbortController();
    const move = moveIn(newMemory(), endless(controller), { signal: controller.signal });
    await expect(move).rejects.toThrow("enough");
  });
});

async function* endless(controller: AbortController): AsyncGenerator<MoveInEntry> {
  for (let number = 0; ; number += 1) {
    if (number === 50) controller.abort(new Error("enough"));
    yield { path: `/${number}`, content: "x" };
  }
}
