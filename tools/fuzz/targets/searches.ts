import fc, { type Arbitrary } from "fast-check";
import { cli } from "../../../__tests__/helpers/run-cli.js";
import { FakeEmbeddings } from "../../../__tests__/helpers/fake-embeddings.js";
import { MemoryError } from "../../../src/core/values/errors.js";
import type { Memory } from "../../../src/core/memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { fragment, text } from "../../../__tests__/helpers/inputs/texts.js";
import { assertClean, canary } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";

type SearchCase =
  | { kind: "words" | "meaning"; query: string }
  | { kind: "passages" | "lines"; pattern: string; ignoreCase: boolean }
  | { kind: "grep"; pattern: string; terminal: boolean; ignoreCase: boolean };

const words = fc
  .array(fc.oneof(fragment, fc.constantFrom("alpha", "beta", "-alpha", '"alpha beta"')), { maxLength: 2000 })
  .map((each) => each.join(" "));
const query = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: words });

const cases: Arbitrary<SearchCase> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("words" as const, "meaning" as const), query }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("passages" as const, "lines" as const),
      pattern: text,
      ignoreCase: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("grep" as const),
      pattern: text,
      terminal: fc.boolean(),
      ignoreCase: fc.boolean(),
    }),
  },
);

const contents = [
  "alpha beta",
  "x".repeat(2000),
  `${"a".repeat(3000)}b`,
  "Größe ÄÖÜ ﬁ",
  "$where {} [] \\ \" '",
  "a\nb\nc",
];

export const searches: Target = {
  name: "searches",
  tries: "queries and patterns of any kind",
  casesPerSandbox: 200,
  open: async ({ client, uri, dbName }, id) => {
    const memories = new MongoMemoryStore({ client, dbName });
    const memory = memories.memory({ nodeId: id });
    const target = ["--uri", uri, "--db", dbName, "--node", id];
    for (const [index, content] of contents.entries()) await memory.write(`/${index}`, content);
    const collections = { itemsCollection: `${id} items`, memoriesCollection: `${id} memories` };
    const byWords = new MongoMemoryStore({ client, dbName, ...collections });
    const byMeaning = new MongoMemoryStore({
      client,
      dbName,
      ...collections,
      itemsCollection: `${id} vectors`,
      index: { dims: 4, embeddings: new FakeEmbeddings() },
    });
    for (const store of [byWords, byMeaning]) {
      await store.batch(
        contents.map((content, index) => ({ namespace: ["mine"], key: `${index}`, value: { content } })),
      );
      await store.put(["theirs"], "a", { content: `alpha beta ${canary}` });
    }
    return toSandbox<SearchCase>({
      inputs: cases,
      call: async (search, measure) => {
        if (search.kind === "grep") {
          const options = search.ignoreCase ? ["--ignore-case"] : [];
          const { exitCode, stdout, stderr } = await measure(() =>
            cli(["grep", ...target, ...options, "--", search.pattern], { terminal: search.terminal }),
          );
          assertClean(stdout + stderr);
          if (exitCode > 2) throw new Error(`exit code ${exitCode}: ${stderr}`);
          return `grep ${exitCode}`;
        }
        if (!("query" in search)) return `${search.kind} ${await measure(() => foundIn(memory, search))}`;
        const store = search.kind === "words" ? byWords : byMeaning;
        const found = await measure(() => store.search(["mine"], { query: search.query }));
        assertClean(JSON.stringify(found));
        if (found.some(({ namespace }) => namespace[0] !== "mine")) throw new Error("an item of another namespace");
        return `${search.kind} ${found.length === 0 ? "nothing" : "ok"}`;
      },
      close: async () => {
        await memories.forget({ nodeId: id, scope: "global" });
        for (const name of [`${id} items`, `${id} vectors`]) await client.db(dbName).collection(name).drop();
      },
    });
  },
};

/** @throws what is no refusal */
async function foundIn(
  memory: Memory,
  { kind, pattern, ignoreCase }: { kind: string; pattern: string; ignoreCase: boolean },
): Promise<string> {
  try {
    const found = kind === "passages" ? await memory.search(pattern) : await memory.grep(pattern, { ignoreCase });
    return found.length === 0 ? "nothing" : "ok";
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code === "EINVAL") return error.code;
    throw error;
  }
}
