import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, openMemory } from "../../../src/index.js";
import { moveIn, type MoveInOptions } from "../../../src/move-in/index.js";
import { repetitions } from "../../helpers/repetitions.js";

const fact = fc.record({
  id: fc.uuid(),
  memory: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
  created_at: fc
    .date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true })
    .map((date) => date.toJSON()),
});

const conversation = fc.record({
  uuid: fc.uuid(),
  chat_messages: fc.array(
    fc.record({
      uuid: fc.uuid(),
      sender: fc.constantFrom("human", "assistant"),
      text: fc.string({ minLength: 1, maxLength: 20 }),
      created_at: fc.integer({ min: 0, max: 72 }).map((hours) => new Date(hours * 2_700_000).toJSON()),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const lists = fc.oneof(
  fc.tuple(fc.constant("mem0" as const), fc.uniqueArray(fact, { maxLength: 12, selector: ({ id }) => id })),
  fc.tuple(
    fc.constant("claude-export" as const),
    fc.uniqueArray(conversation, { maxLength: 6, selector: ({ uuid }) => uuid.slice(0, 8) }),
  ),
);

const newMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "n" });

/** In chunks of a few bytes, so that records begin anywhere in a chunk. */
function sourceOf(list: readonly object[]): Readable {
  const bytes = Buffer.from(JSON.stringify(list));
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7)),
  );
}

async function treeOf(memory: Memory): Promise<[string, string][]> {
  return (await memory.snapshot()).files.map(({ path, content }) => [path, content]);
}

describe("moving in", () => {
  it("twice is moving in once, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.infiniteStream(fc.nat()), async ([from, list], numbers) => {
        const memory = newMemory();
        await moveIn(memory, { from, source: sourceOf(list) });
        const tree = await treeOf(memory);
        const shuffled = list
          .map((each) => ({ each, order: Number(numbers.next().value) }))
          .toSorted((a, b) => a.order - b.order)
          .map(({ each }) => each);
        const again = await moveIn(memory, { from, source: sourceOf(shuffled) });
        expect(again.written + again.logged).toBe(0);
        expect(await treeOf(memory)).toEqual(tree);
        const other = newMemory();
        await moveIn(other, { from, source: sourceOf(shuffled) });
        expect(await treeOf(other)).toEqual(tree);
      }),
      { numRuns: repetitions({ usual: 60, long: 1000 }) },
    );
  });

  it("says in a dry run what it then does", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async ([from, list]) => {
        const memory = newMemory();
        const options = (dryRun: boolean): MoveInOptions => ({ from, source: sourceOf(list), dryRun });
        const { runId: _, ...planned } = await moveIn(memory, options(true));
        expect(await treeOf(memory)).toEqual([]);
        expect(await moveIn(memory, options(false))).toMatchObject(planned);
      }),
      { numRuns: repetitions({ usual: 40, long: 500 }) },
    );
  });

  it("ends between two items when its signal aborts", async () => {
    const controller = new AbortController();
    const source = { find: () => endless(controller) };
    const options = { from: "mem0", source, signal: controller.signal } as const;
    await expect(moveIn(newMemory(), options)).rejects.toThrow("enough");
  });
});

async function* endless(controller: AbortController): AsyncGenerator {
  for (let number = 0; ; number += 1) {
    if (number === 50) controller.abort(new Error("enough"));
    yield { _id: String(number), payload: { data: "x" } };
  }
}
