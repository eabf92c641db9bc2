import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import {
  claudeMemoryHandlers,
  type ClaudeMemoryOptions,
  createClaudeMemoryTool,
} from "../../../../src/langchain/claude/index.js";
import { type Memory, MemoryNode, openMemory, MemoryTool } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";

const store = new InMemoryStore();
const freshMemory = (): Memory => openMemory(store, freshAddress());

function callOn(memory: Memory, options?: ClaudeMemoryOptions): (args: Record<string, unknown>) => Promise<string> {
  const tool = createClaudeMemoryTool(memory, options);
  return (args) => tool.invoke(args);
}

/** Every command with `path` in each place where a path is expected, on a memory with the file /f. */
const everywhere = (path: unknown): Record<string, unknown>[] => [
  { command: "view", path },
  { command: "view", path, view_range: [1, -1] },
  { command: "create", path, file_text: "x" },
  { command: "str_replace", path, old_str: "text", new_str: "x" },
  { command: "insert", path, insert_line: 0, insert_text: "x" },
  { command: "delete", path },
  { command: "rename", old_path: path, new_path: "/memories/new" },
  { command: "rename", old_path: "/memories/f", new_path: path },
];

async function expectRefused(path: unknown, answer: string | RegExp): Promise<void> {
  const memory = freshMemory();
  await memory.write("/f", "text");
  const call = callOn(memory);
  for (const args of everywhere(path)) {
    if (typeof answer === "string") expect(await call(args)).toBe(answer);
    else expect(await call(args)).toMatch(answer);
  }
  const { files, directories } = await memory.snapshot();
  expect([files.map((file) => [file.path, file.content]), directories]).toEqual([[["/f", "text"]], []]);
}

describe("a path that climbs", () => {
  it.each([
    "/memories/..",
    "/memories/../x",
    "/memories/../../../etc/passwd",
    "/memories/../memories_backup/secret.txt",
    "/memories/../memories/f",
    "/memories/a/../f",
    "/memories/%2e%2e/%2e%2e/etc/passwd",
    "/memories/%2e%2e%2fsecret",
    "/memories/..%2f..%2fx",
    "/memories/%252e%252e/x",
    "/memories/%252e%252e%252fx",
    "/memories/%25252e%25252e%25252fx",
    "/memories/%c0%ae%c0%ae/x",
    "/memories/..\\..\\w",
    "/memories\\..\\w",
    "\\memories\\..\\w",
    "/memories/..%5cw",
    "/memories/．．/x",
    "/memories/\u2024\u2024/x",
    "/memories/‥/x",
    "/memories/%ef%bc%8e%ef%bc%8e/x",
  ])("is refused by every command: %s", async (path) => {
    await expectRefused(path, 'Error: invalid path: ".." not allowed');
  });

  it.each(["/memories/f\0", "/memories/\0", "/memories/a\nb", "/memories/\u0007", "/memories/x\u007f"])(
    "or holds a control character is refused: %j",
    (path) => expectRefused(path, "Error: invalid path: control characters are not allowed"),
  );

  it.each(["/memories/.", "/memories/./f", "/memories/a/."])("or stands still is refused: %s", (path) =>
    expectRefused(path, 'Error: invalid path segment: . (paths are absolute; no name is ".")'),
  );

  it("or is an encoded NUL, too long or too deep is refused", async () => {
    await expectRefused("/memories/%00", /^Error: invalid path/);
    await expectRefused(`/memories/${"x".repeat(256)}`, "Error: invalid path: a segment longer than 255 characters");
    await expectRefused(`/memories${"/d".repeat(33)}`, "Error: invalid path: more than 32 levels");
    await expectRefused("/memories/\ud800", /^Error: Invalid `\w+` parameter: it is not well-formed Unicode/);
  });
});

describe("a path that does not begin with the root", () => {
  it.each([
    "/memoriesfoo",
    "/memoriesfoo.txt",
    "/memories_evil/x",
    "/memories../x",
    "/memories%2f..%2fx",
    "/Memories/x",
    " /memories/x",
    "/etc/passwd",
    "/",
    "",
    "..",
    "/../memories/x",
    "/./memories/x",
    "/%6demories/x",
    "file:///memories/x",
    "~/memories",
    "C:\\memories\\x",
    "/memories\0/x",
  ])("is refused by every command: %j", async (path) => {
    await expectRefused(path, `Error: Path must start with /memories, got: ${path.replace("\0", "\\u0000")}`);
  });

  it("is repeated only as far as it is short", async () => {
    const answer = await callOn(freshMemory())({ command: "view", path: `/${"x".repeat(10_000_000)}` });
    expect(answer).toHaveLength("Error: Path must start with /memories, got: ".length + 500);
  });
});

describe("the root", () => {
  it.each(["/memories", "/memories/", "/memories//", "//memories", "\\memories", "/memories\\", "/\\memories///"])(
    "can be neither deleted nor renamed as %s, and can be viewed",
    async (path) => {
      const memory = freshMemory();
      await memory.write("/f", "text");
      const call = callOn(memory);
      expect(await call({ command: "delete", path })).toBe("Error: Cannot delete the /memories directory itself");
      expect(await call({ command: "rename", old_path: path, new_path: "/memories/x" })).toBe(
        "Error: Cannot rename the /memories directory itself",
      );
      expect(await call({ command: "view", path })).toMatch(/:\n4B\t\/memories\n4B\t\/memories\/f$/);
      const handlers = claudeMemoryHandlers(memory);
      await expect(handlers.delete({ command: "delete", path })).rejects.toMatchObject({ code: "EINVAL" });
      expect(await memory.read("/f")).toBe("text");
    },
  );

  it.each(["/memories/.", "/memories/z/..", "/memories/%2e%2e/memories", "/memories/./"])(
    "is not reached as %s",
    async (path) => {
      const memory = freshMemory();
      await memory.write("/z/f", "text");
      const call = callOn(memory);
      expect(await call({ command: "delete", path })).toMatch(/^Error: invalid path/);
      expect(await call({ command: "rename", old_path: path, new_path: "/memories/x" })).toMatch(
        /^Error: invalid path/,
      );
      expect(await memory.read("/z/f")).toBe("text");
    },
  );

  it("is the root of the memory for every other way in", async () => {
    const memory = freshMemory();
    await callOn(memory)({ command: "create", path: "/memories/a.txt", file_text: "x" });
    await memory.write("/notes/today", "y");
    expect(await new MemoryTool({ memory }).invoke({ command: "read", path: "/a.txt" })).toContain('"content":"x"');
    expect(await callOn(memory)({ command: "view", path: "/memories/notes/today" })).toMatch(/:\n {5}1\ty$/);
  });

  it.each([
    ["/notes/of me", "/notes/of me/a.txt", "/notes/a.txt"],
    ["/notes/", "/notes/a.txt", "/memories/a.txt"],
    ["/", "/a.txt", ""],
  ])("can be %s", async (root, path, outside) => {
    const memory = freshMemory();
    const call = callOn(memory, { root });
    const shown = root.replace(/(.)\/$/, "$1");
    expect(await call({ command: "create", path, file_text: "x" })).toBe(`File created successfully at: ${path}`);
    expect(await memory.read("/a.txt")).toBe("x");
    expect(await call({ command: "view", path: root })).toContain(`:\n1B\t${shown}\n1B\t${path}`);
    expect(await call({ command: "view", path: outside })).toBe(
      `Error: Path must start with ${shown}, got: ${outside}`,
    );
    expect(await call({ command: "delete", path: root })).toBe(`Error: Cannot delete the ${shown} directory itself`);
  });

  it.each([
    { root: "memories" },
    { root: "/../x" },
    { root: "" },
    { root: 5 },
    { maxViewChars: 0 },
    { ifExists: "maybe" },
    { other: 1 },
  ])("and other options of a mistaken kind are a TypeError: %j", (options) => {
    expect(() => createClaudeMemoryTool(freshMemory(), options as never)).toThrow(TypeError);
    expect(() => claudeMemoryHandlers(freshMemory(), options as never)).toThrow(/^invalid ClaudeMemoryOptions: /);
  });
});

describe("names", () => {
  it("are created by the rule posix, whatever the memory's own is", async () => {
    const { nodeId } = freshAddress();
    const node = new MemoryNode({ store, nodeId, paths: "plain" });
    const tool = createClaudeMemoryTool(node);
    const handlers = claudeMemoryHandlers(node.memory());
    for (const name of [
      "notes.txt",
      ".hidden",
      "文件.md",
      "a..b",
      "$a",
      "100%",
      "__proto__",
      "a b",
      "*?.txt",
      "....",
      "..;",
    ]) {
      expect(await tool.invoke({ command: "create", path: `/memories/${name}`, file_text: name })).toMatch(
        /^File created/,
      );
      expect(await handlers.view({ command: "view", path: `/memories/${name}` })).toContain(`     1\t${name}`);
      expect(await node.memory().read(`/${name}`)).toBe(name);
    }
    await expect(node.memory().write("/other.txt", "x")).rejects.toMatchObject({ code: "EINVAL" });
    const answer = await tool.invoke({ command: "create", path: "/memories/e\u0301", file_text: "x" });
    expect(answer).toBe('Error: invalid path segment: e\u0301 (names are any Unicode in NFC, such as "notes.txt")');
  });

  it("in other spellings are the same file, and are repeated as given", async () => {
    const call = callOn(freshMemory());
    await call({ command: "create", path: "/memories/a/b.txt", file_text: "x" });
    for (const path of ["/memories//a///b.txt", "/memories/a/b.txt/", "\\memories\\a\\b.txt"]) {
      expect(await call({ command: "view", path })).toBe(`Here's the content of ${path} with line numbers:\n     1\tx`);
    }
  });
});
