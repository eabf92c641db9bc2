import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { type MemoryGuard, type MemoryRule, type Memory, MemoryNode, openMemory } from "../../../src/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import type { DialectCall } from "../../helpers/dialect-suite.js";
import { pageAt, programsOf } from "../../helpers/documentation.js";
import { dialectsUnderTest, type DialectName } from "../../helpers/dialects-under-test.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const underTest = new Map(await dialectsUnderTest());

/** Which commands each access of the whole memory refuses, and a rule for one path. Outside a run nobody can be asked. */
const table: Record<DialectName, { append: string; read: string; rule: MemoryRule; refused: string }> = {
  unified: {
    append: "update delete",
    read: "append update delete",
    rule: { path: "/notes/**", access: "read" },
    refused: "update delete",
  },
  claude: {
    append: "str_replace insert delete rename",
    read: "create str_replace insert delete rename",
    rule: { path: "/notes.*", access: "append" },
    refused: "str_replace insert delete rename",
  },
  journal: {
    append: "memory_update",
    read: "memory_write memory_update",
    rule: { path: "/2???/**", access: "read" },
    refused: "memory_write memory_update",
  },
  records: {
    append: "replace_memory drop_memory clear_memory",
    read: "add_memory replace_memory drop_memory clear_memory",
    rule: { path: "/**/todo", access: "read" },
    refused: "replace_memory drop_memory clear_memory",
  },
};

function opened(rules: MemoryRule[]): { node: MemoryNode; free: Memory } {
  const store = new InMemoryStore();
  return {
    node: new MemoryNode({ store, nodeId: "assistant", rules }),
    free: openMemory(store, { nodeId: "assistant" }),
  };
}

function toolNamed<Tool extends { name: string }>(tools: Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

/** A way to make a call of a dialect on a node. */
type Way = (node: MemoryNode, name: DialectName, call: DialectCall) => Promise<string>;

const byTools: Way = async (node, name, { tool, args }) =>
  String(await toolNamed(underTest.get(name)?.tools(node) ?? [], tool).invoke(args));
const overMcp: Way = async (memory, name, { tool, args }) =>
  answerOf(await connectInMemory(createMcpServer({ memory, dialects: [name] })), args, tool);

/** The texts of all files, without the journal's reservations: it reserves a key before it writes, and gives it back. */
async function textsIn(memory: Memory): Promise<string[]> {
  const { files } = await memory.snapshot();
  return files.flatMap(({ path, content }) => (path.startsWith("/.") ? [] : `${path} ${content}`));
}

describe.each(Object.keys(table) as DialectName[])("the dialect %s under rules", (name) => {
  const { append, read, rule, refused } = table[name];
  const { tools = () => [], commands = {}, prepare = [], outcomeOf } = underTest.get(name) ?? {};

  it.each([
    { way: byTools, rule: { path: "/**", access: "write" as const }, expected: "" },
    { way: byTools, rule: { path: "/**", access: "append" as const }, expected: append },
    { way: byTools, rule: { path: "/**", access: "read" as const }, expected: read },
    { way: byTools, rule: { path: "/**", access: "ask" as const }, expected: read },
    { way: byTools, rule, expected: refused },
    { way: overMcp, rule, expected: refused },
  ])(
    "refuses $way.name, where $rule.path is $rule.access, no more and no less than $expected",
    async ({ way, ...given }) => {
      const refusals: string[] = [];
      for (const [command, each] of Object.entries(commands)) {
        const { node, free } = opened([given.rule]);
        for (const { tool, args } of prepare) await toolNamed(tools(free), tool).invoke(args);
        const before = await textsIn(free);
        const answer = await way(node, name, each);
        if (outcomeOf?.(answer) !== "refused") continue;
        refusals.push(command);
        expect(answer).toContain("EACCES: ");
        expect(await textsIn(free)).toEqual(before);
      }
      expect(refusals.join(" ")).toBe(given.expected);
    },
  );

  it("tells the model what may be done where", async () => {
    const { node } = opened([rule]);
    const path = { claude: `/memories${rule.path}`, records: rule.path.slice(1) }[name as string] ?? rule.path;
    const words = `\n${path} is ${rule.access === "read" ? "read-only" : "append-only: add to files and create them"}.`;
    const client = await connectInMemory(createMcpServer({ memory: node, dialects: [name] }));
    for (const { description } of [...tools(node), ...(await client.listTools()).tools])
      expect(description?.endsWith(words)).toBe(true);
  });
});

describe("deepagents under rules", () => {
  const file = "/notes/today";
  const calls: Record<string, (backend: DeepAgentsBackend) => Promise<unknown>> = {
    ls: (backend) => backend.ls("/"),
    read: (backend) => backend.read(file),
    readRaw: (backend) => backend.readRaw(file),
    grep: (backend) => backend.grep("first"),
    glob: (backend) => backend.glob("**"),
    downloadFiles: async (backend) => (await backend.downloadFiles([file]))[0],
    write: (backend) => backend.write(file, "x"),
    edit: (backend) => backend.edit(file, "first", "x"),
    delete: (backend) => backend.delete("/notes"),
    uploadFiles: async (backend) => (await backend.uploadFiles([[file, new Uint8Array([120])]]))[0],
  };

  it.each([
    ["write", ""],
    ["append", "write edit delete uploadFiles"],
    ["read", "write edit delete uploadFiles"],
    ["ask", "write edit delete uploadFiles"],
  ] as const)("is refused, where the access is %s, no more and no less than %s", async (access, expected) => {
    const refusals: string[] = [];
    for (const [name, call] of Object.entries(calls)) {
      const { node, free } = opened([{ path: "/notes/**", access }]);
      await free.write(file, "the first");
      const { error } = (await call(new DeepAgentsBackend(node, { onError: () => {} }))) as { error?: string | null };
      if (error === undefined || error === null) continue;
      refusals.push(name);
      expect(error).toMatch(/EACCES: \/notes(\/today)? (is|can)|permission_denied/);
      expect(await textsIn(free)).toEqual([`${file} the first`]);
    }
    expect(refusals.join(" ")).toBe(expected);
  });
});

describe("the unified tool", () => {
  it.each<[rules: MemoryRule[], commands: string]>([
    [[], "read,list,append,update,delete"],
    [[{ path: "/policies/**", access: "read" }], "read,list,append,update,delete"],
    [[{ path: "/**", access: "append" }], "read,list,append"],
    [
      [
        { path: "/log/**", access: "append" },
        { path: "/**", access: "read" },
      ],
      "read,list,append",
    ],
    [[{ path: "/**", access: "read" }], "read,list"],
  ])("under the rules %j offers only what can succeed somewhere: %s", (rules, commands) => {
    const { command } = opened(rules).node.memoryTools[0]?.schema.properties ?? {};
    expect((command as { enum: string[] } | undefined)?.enum.join()).toBe(commands);
  });

  it("has no text and no words of change for a memory that is only read", async () => {
    const { node } = opened([{ path: "/**", access: "read" }]);
    const [tool] = node.memoryTools;
    expect(Object.keys(tool?.schema.properties ?? {})).toEqual(["path", "command", "fromLine"]);
    expect(tool?.description).not.toContain("append");
    const client = await connectInMemory(createMcpServer({ memory: node }));
    const { annotations } = (await client.listTools()).tools[0] ?? {};
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(client.getInstructions()).not.toContain("write down");
  });

  it("says of several rules that the first counts, and names no more than ten", () => {
    const rules = Array.from({ length: 12 }, (_, index): MemoryRule => ({ path: `/${index}/**`, access: "read" }));
    expect(opened(rules).node.memoryTools[0]?.description).toMatch(
      /\n\/0\/\*\* is read-only\. \/1\/\*\* is [^]*\/9\/\*\* is read-only\. The first of these that fits a path counts\. More rules follow\.$/,
    );
  });

  it("of another memory is told anew", () => {
    const [tool] = opened([{ path: "/**", access: "read" }]).node.memoryTools;
    tool?.setMemorySource(opened([]).node);
    expect(tool?.schema.properties).toHaveProperty("oldContent");
    expect(tool?.description).not.toContain("read-only");
  });
});

/** The program of docs/access.md itself, so that page and test cannot differ. */
async function guardOfPage(): Promise<MemoryGuard> {
  const program = programsOf(pageAt("docs/access.md").text).find((each) => each.includes("export const redact")) ?? "";
  const file = join(folder, "redact.ts");
  await writeFile(file, program.replaceAll('"langgraph-mongo-memory"', JSON.stringify(resolve("src/index.ts"))));
  return ((await import(file)) as { redact: MemoryGuard }).redact;
}

describe("the guard of docs/access.md", () => {
  const openGuarded = async (): Promise<MemoryNode> =>
    new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant", guard: await guardOfPage() });
  const content = "ask ada@example.com, key sk-abcdefghijklmnop1234, AKIAABCDEFGHIJKLMNOP";

  it.each<[DialectName, tool: string, args: object]>([
    ["unified", "memory", { command: "append", path: "/a", content }],
    ["claude", "memory", { command: "create", path: "/memories/a", file_text: content }],
    ["journal", "memory_write", { key: "whom", content, target: "daily" }],
    ["records", "add_memory", { path: "a", content }],
  ])("takes e-mail addresses and keys out of what %s stores", async (name, tool, args) => {
    const node = await openGuarded();
    await toolNamed(underTest.get(name)?.tools(node) ?? [], tool).invoke(args);
    const texts = (await textsIn(node.memory())).join("\n");
    expect(texts).toContain("ask [e-mail address], key [key], [key]");
    expect(texts).not.toContain("ada@");
  });

  it("refuses private keys, and reads a megabyte without a match as fast as any other", async () => {
    const memory = (await openGuarded()).memory();
    await expect(memory.append("/b", "-----BEGIN PRIVATE KEY-----")).rejects.toThrow(
      "EACCES: /b must not hold a private key",
    );
    for (const text of ["a".repeat(1_000_000), "a@".repeat(500_000), "sk-".repeat(300_000)])
      await memory.write("/a", text);
  });
});
