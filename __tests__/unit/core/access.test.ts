import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { checkPolicy, type MemoryPolicy, restricted } from "../../../src/core/access.js";
import type { Memory } from "../../../src/core/memory.js";
import { openMemory } from "../../../src/open-memory.js";

async function memoryUnder(policy: MemoryPolicy): Promise<{ memory: Memory; free: Memory }> {
  const free = openMemory(new InMemoryStore(), { nodeId: "assistant" }, { paths: "posix" });
  await free.write("/policies/refunds", "30 days");
  await free.write("/log", "first");
  return { memory: restricted(free, checkPolicy(policy)), free };
}

const readOnlyPolicies = { rules: [{ path: "/policies/**", access: "read" }] } as const;

describe("a restricted memory", () => {
  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["append", (memory) => memory.append("/policies/refunds", "x")],
    ["snapshotAndAppend", (memory) => memory.snapshotAndAppend("/policies/new", "x")],
    ["write", (memory) => memory.write("/policies/refunds", "x")],
    ["a write of a new file", (memory) => memory.write("/policies/new", "x", { ifExists: "fail" })],
    ["update", (memory) => memory.update("/policies/refunds", "30", "x")],
    ["edit", (memory) => memory.edit("/policies/refunds", () => "x")],
    ["delete", (memory) => memory.delete("/policies/refunds")],
    ["a delete of the directory", (memory) => memory.delete("/policies")],
    ["a delete of everything", (memory) => memory.delete("/")],
    ["a rename of the file", (memory) => memory.rename("/policies/refunds", "/refunds")],
    ["a rename of the directory", (memory) => memory.rename("/policies", "/old")],
    ["a rename into the directory", (memory) => memory.rename("/log", "/policies/log")],
  ])("refuses %s where a rule says read, and stores nothing", async (_name, change) => {
    const { memory, free } = await memoryUnder(readOnlyPolicies);
    const before = await free.snapshot();
    await expect(change(memory)).rejects.toMatchObject({
      code: "EACCES",
      message: expect.stringMatching(/^EACCES: \/policies(\/\w+)? is read-only here \(access "read"\)$/),
    });
    expect(await free.snapshot()).toEqual(before);
  });

  it("lets everything be read, and all else be changed", async () => {
    const { memory } = await memoryUnder(readOnlyPolicies);
    expect(await memory.read("/policies/refunds")).toBe("30 days");
    await memory.append("/log", "second");
    await memory.rename("/log", "/old log");
    expect(await memory.delete("/old log")).toEqual({ files: 1, dirs: 0 });
  });

  it("keeps what is there where it may be appended to", async () => {
    const { memory } = await memoryUnder({ access: "append" });
    await memory.append("/log", "second");
    await memory.write("/new", "x", { ifExists: "fail" });
    await expect(memory.write("/log", "x", { ifExists: "fail" })).rejects.toMatchObject({ code: "EEXIST" });
    await expect(memory.write("/log", "x")).rejects.toThrow('EACCES: /log can only be appended to here (access "append")');
    expect(await memory.read("/log")).toBe("first\nsecond");
  });
});
