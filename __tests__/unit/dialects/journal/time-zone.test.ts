import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "@jest/globals";
import { createAiMemory } from "../../../../src/ai-sdk/index.js";
import { createJournalTools, type JournalToolsOptions } from "../../../../src/langchain/journal/index.js";
import { openMemory } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";

const [key, content] = ["k", "text"];

async function write(options: JournalToolsOptions, configurable = {}) {
  const memory = openMemory(new InMemoryStore(), freshAddress());
  const [tool] = createJournalTools(memory, options);
  const answer: unknown = await tool?.invoke({ key, content }, { configurable });
  const { path } = (JSON.parse(String(answer)) as { data: { path: string } }).data;
  return { path, text: await memory.read(`/${path}`), description: tool?.description };
}

describe("the day of a note", () => {
  it.each([
    ["UTC", "2026-03-28T23:30:00Z", "2026/03/28.md"],
    ["Europe/Berlin", "2026-03-28T22:59:59Z", "2026/03/28.md"],
    ["Europe/Berlin", "2026-03-28T23:00:00Z", "2026/03/29.md"],
    ["Europe/Berlin", "2026-03-29T21:59:59Z", "2026/03/29.md"],
    ["Europe/Berlin", "2026-03-29T22:00:00Z", "2026/03/30.md"],
    ["Europe/Berlin", "2026-10-25T22:59:59Z", "2026/10/25.md"],
    ["America/Los_Angeles", "2026-11-01T07:00:00Z", "2026/11/01.md"],
  ])("is that of %s at %s, and `at` stays the instant", async (timeZone, instant, path) => {
    const made = await write({ timeZone, clock: () => new Date(instant) });
    expect(made.path).toBe(path);
    expect(made.text).toContain(instant.replace("Z", "+00:00"));
    expect(made.description).toContain(`(${timeZone} date)`);
  });

  it("is that of the user of the run", async () => {
    const zones: Record<string, string> = { anna: "Pacific/Auckland", ben: "America/Los_Angeles" };
    const options: JournalToolsOptions = {
      timeZone: ({ userId = "" }) => zones[userId],
      clock: () => new Date("2026-03-04T12:00:00Z"),
    };
    expect((await write(options, { user_id: "anna" })).path).toBe("2026/03/05.md");
    expect((await write(options, { user_id: "ben" })).path).toBe("2026/03/04.md");
    expect((await write(options)).path).toBe("2026/03/04.md");
  });

  it("is that of the run in the AI SDK", async () => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    const dialect: JournalToolsOptions = {
      timeZone: ({ userId }) => (userId === "anna" ? "Pacific/Auckland" : "UTC"),
      clock: () => new Date("2026-03-04T12:00:00Z"),
    };
    const { tools } = createAiMemory({ memory, userId: "anna", dialects: [{ name: "journal", ...dialect }] });
    await tools["memory_write"]?.execute({ key, content }, {});
    expect(await memory.read("/2026/03/05.md")).toContain("2026-03-04T12:00:00+00:00");
  });

  it("refuses a name that is no time zone", () => {
    const memory = openMemory(new InMemoryStore(), freshAddress());
    expect(() => createJournalTools(memory, { timeZone: "Mars/Olympus" })).toThrow(/timeZone: must be a time zone/);
  });
});
