import { describe, expect, it } from "@jest/globals";
import { DeepAgentsBackend } from "../../src/deepagents/index.js";
import { createClaudeMemoryTool } from "../../src/langchain/claude/index.js";
import { createJournalTools } from "../../src/langchain/journal/index.js";
import { MemoryTool } from "../../src/index.js";
import { freshAddress } from "../helpers/memory-case.js";
import { backendsUnderTest } from "../helpers/backends-under-test.js";

/** Nearly found at every place of a text of `a`, in its middle and at its end. */
const nearlyEverywhere = (chars: number): string[] => [
  `${"a".repeat(chars / 2)}b${"a".repeat(chars / 2 - 1)}`,
  `${"a".repeat(chars - 1)}b`,
];
/** A few hundred times what they take; a search that is not linear takes longer still. */
const generousMs = 15_000;
const megabyte = "a".repeat(1_000_000);

// With a search that compares a whole text at every place, each of these takes from twenty seconds to an hour.
describe.each(backendsUnderTest())("in a megabyte that holds a text nearly everywhere, on %s", (_name, backend) => {
  it.each([32_000, 500_000])(
    "update looks for %d characters",
    async (chars) => {
      const memory = backend.open(freshAddress());
      await memory.write("/notes", megabyte);
      for (const oldContent of nearlyEverywhere(chars)) expect(await memory.update("/notes", oldContent, "x")).toBe(0);
      expect(await memory.update("/notes", "a".repeat(chars), "x".repeat(chars))).toBe(Math.floor(1_000_000 / chars));
    },
    generousMs,
  );
});

// What is above a backend is the same on all.
describe.each(backendsUnderTest().slice(0, 1))(
  "in a megabyte that holds half of it nearly everywhere, on %s",
  (_name, backend) => {
    it.each([0, 1])(
      "the tool's update, str_replace, edit and grep find nothing of text %d",
      async (which) => {
        const sought = nearlyEverywhere(500_000)[which] ?? "";
        const memory = backend.open(freshAddress(), { paths: "posix" });
        await memory.write("/notes", megabyte);
        const deep = new DeepAgentsBackend(memory);
        const update = { command: "update", path: "/notes", oldContent: sought, content: "x" } as const;
        expect(await new MemoryTool({ memory }).invoke(update)).toContain('"replaced":0');
        const replace = { command: "str_replace", path: "/memories/notes", old_str: sought, new_str: "x" };
        expect(await createClaudeMemoryTool(memory).invoke(replace)).toMatch(/^No replacement was performed/);
        expect((await deep.edit("/notes", sought, "x")).error).toMatch(/^Error: String not found/);
        expect(await deep.grep(sought)).toEqual({ matches: [] });
      },
      generousMs,
    );

    it(
      "memory_search looks for half of each content",
      async () => {
        const [write, , , search] = createJournalTools(backend.open(freshAddress()));
        for (const key of ["a", "b", "c", "d", "e", "f"]) await write?.invoke({ key, content: "a".repeat(100_000) });
        for (const query of nearlyEverywhere(50_000)) expect(await search?.invoke({ query })).toContain('"results":[]');
      },
      generousMs,
    );
  },
);
