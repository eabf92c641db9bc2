import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { type MemoryGuard, type MemoryRule, type Memory, MemoryNode, openMemory } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import type { DialectCall } from "../../helpers/dialect-suite.js";
import { pageAt, programsOf } from "../../helpers/documentation.js";
import { dialectsUnderTest, type DialectName, dialectNames } from "../../helpers/dialects-under-test.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { testFolder } from "../../helpers/test-folder.js";

type Access = "read" | "append" | "write";

/** What each command needs, and which of them a rule for one path refuses. */
const table: Record<DialectName, { needs: Record<string, Access>; rule: MemoryRule; refused: string[] }> = {
  unified: {
    needs: { read: "read", list: "read", append: "append", update: "write", delete: "write" },
    rule: { path: "/notes/**", access: "read" },
    refused: ["update", "delete"],
  },
  claude: {
    needs: { view: "read", create: "append", str_replace: "write", insert: "write", delete: "write", rename: "write" },
    rule: { path: "/notes.*", access: "append" },
    refused: ["str_replace", "insert", "delete", "rename"],
  },
  journal: {
    needs: { memory_write: "append", memory_update: "write", memory_read: "read", memory_search: "read" },
    rule: { path: "/2???/**", access: "read" },
    refused: ["memory_write", "memory_update"],
  },
  records: {
    needs: { add_memory: "append", replace_memory: "write", drop_memory: "write", clear_memory: "write" },
    rule: { path: "/**/todo", access: "read" },
    refused: ["replace_memory", "drop_memory", "clear_memory"],
  },
};

/** Outside of a run nobody can be asked. */
const grants: Record<Access | "ask", Access[]> = {
  ask: ["read"],
  read: ["read"],
  append: ["read", "append"],
  write: ["read", "append", "write"],
};

const folder = testFolder();
const underTest = await dialectsUnderTest();

const deepagentsCalls: Record<string, { needs: Access; call: (backend: DeepAgentsBackend) => Promise<unknown> }> = {
  ls: { needs: "read", call: (backend) => backend.ls("/") },
  read: { needs: "read", call: (backend) => backend.read("/notes/today") },
  readRaw: { needs: "read", call: (backend) => backend.readRaw("/notes/today") },
  grep: { needs: "read", call: (backend) => backend.grep("first") },
  glob: { needs: "read", call: (backend) => backend.glob("**") },
  downloadFiles: { needs: "read", call: async (backend) => (await backend.downloadFiles(["/notes/today"]))[0] },
  write: { needs: "write", call: (backend) => backend.write("/notes/today", "x") },
  edit: { needs: "write", call: (backend) => backend.edit("/notes/today", "first", "x") },
  delete: { needs: "write", call: (backend) => backend.delete("/notes") },
  uploadFiles: {
    needs: "write",
    call: async (backend) => (await backend.uploadFiles([["/notes/today", new Uint8Array([120])]]))[0],
  },
};

/** Each command on a memory of its own. @returns those that were refused. None of them may have stored anything. */
async function refusedBy(rules: MemoryRule[], name: DialectName, way: "tools" | "MCP"): Promise<string[]> {
  const dialect = underTest.find(([each]) => each === name)?.[1];
  const refused: string[] = [];
  for (const [command, call] of Object.entries(dialect?.commands ?? {})) {
    const { node, free } = opened(rules);
    const source = way === "tools" ? node : free;
    for (const each of dialect?.prepare ?? []) await toolNamed(dialect?.tools(free) ?? [], each.tool).invoke(each.args);
    const before = await free.snapshot();
    const answer =
      way === "tools"
        ? await toolNamed(dialect?.tools(source) ?? [], call.tool).invoke(call.args)
        : await overMcp(node, name, call);
    if (dialect?.outcomeOf(answer as string) !== "refused") continue;
    refused.push(command);
    expect(answer).toContain("EACCES: ");
    expect(withoutReservations(await free.snapshot())).toEqual(withoutReservations(before));
  }
  return refused;
}

/** The journal reserves a key before it writes, and gives it back. */
function withoutReservations({ files }: { files: { path: string; content: string }[] }): string[] {
  return files.filter(({ path }) => !path.startsWith("/.")).map(({ path, content }) => `${path} ${content}`);
}

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

async function overMcp(memory: MemoryNode, dialect: DialectName, { tool, args }: DialectCall): Promise<string> {
  return answerOf(await connectInMemory(createMcpServer({ memory, dialects: [dialect] })), args, tool);
}

describe.each(dialectNames)("the dialect %s under rules", (name) => {
  const { needs, rule, refused } = table[name];

  it.each(["write", "append", "read", "ask"] as const)(
    "lets models do what %s allows, by its tools and over MCP",
    async (access) => {
      const expected = Object.keys(needs).filter((command) => !grants[access].includes(needs[command] ?? "write"));
      const rules: MemoryRule[] = [{ path: "/**", access }];
      expect(await refusedBy(rules, name, "tools")).toEqual(expected);
      expect(await refusedBy(rules, name, "MCP")).toEqual(expected);
    },
  );

  it("keeps to a rule for one path", async () => {
    expect(await refusedBy([rule], name, "tools")).toEqual(refused);
    expect(await refusedBy([rule], name, "MCP")).toEqual(refused);
  });

  it("tells the model what may be done where", async () => {
    const { node } = opened([rule]);
    const tools = underTest.find(([each]) => each === name)?.[1].tools(node) ?? [];
    const path = { claude: `/memories${rule.path}`, records: rule.path.slice(1) }[name as string] ?? rule.path;
    const words = `\n${path} is ${rule.access === "read" ? "read-only" : "append-only: add to files and create them"}.`;
    for (const { description } of tools) expect(description.endsWith(words)).toBe(true);
    const client = await connectInMemory(createMcpServer({ memory: node, dialects: [name] }));
    for (const { description } of (await client.listTools()).tools) expect(description?.endsWith(words)).toBe(true);
  });
});

describe("deepagents under rules", () => {
  it.each(["write", "append", "read", "ask"] as const)("may do what %s allows", async (access) => {
    for (const [name, { needs, call }] of Object.entries(deepagentsCalls)) {
      const { node, free } = opened([{ path: "/notes/**", access }]);
      await free.write("/notes/today", "the first");
      const before = await free.snapshot();
      const { error } = (await call(new DeepAgentsBackend(node, { onError: () => {} }))) as { error?: string | null };
      const isAllowed = grants[access].includes(needs);
      expect([name, error ?? null]).toEqual([
        name,
        isAllowed ? null : expect.stringMatching(/EACCES: \/notes(\/today)? (is|can)|permission_denied/),
      ]);
      if (!isAllowed) expect(await free.snapshot()).toEqual(before);
    }
  });
});

describe("the unified tool", () => {
  const commandsFor = (rules: MemoryRule[]): unknown => {
    const { command } = opened(rules).node.memoryTools[0]?.schema.properties ?? {};
    return (command as { enum: string[] } | undefined)?.enum;
  };

  it("offers only the commands that can succeed somewhere", () => {
    expect(commandsFor([{ path: "/**", access: "read" }])).toEqual(["read", "list"]);
    expect(commandsFor([{ path: "/**", access: "append" }])).toEqual(["read", "list", "append"]);
    expect(
      commandsFor([
        { path: "/log/**", access: "append" },
        { path: "/**", access: "read" },
      ]),
    ).toEqual(["read", "list", "append"]);
    expect(commandsFor([{ path: "/policies/**", access: "read" }])).toHaveLength(5);
    expect(commandsFor([])).toHaveLength(5);
  });

  it("has no text and no words of change for a memory that is only read", async () => {
    const { node } = opened([{ path: "/**", access: "read" }]);
    const [tool] = node.memoryTools;
    expect(Object.keys(tool?.schema.properties ?? {})).toEqual(["path", "command", "fromLine"]);
    expect(tool?.description).not.toContain("append");
    const client = await connectInMemory(createMcpServer({ memory: node }));
    expect((await client.listTools()).tools[0]?.annotations).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    });
    expect(client.getInstructions()).not.toContain("write down");
  });

  it("says of several rules that the first counts, and names no more than ten", () => {
    const rules = Array.from({ length: 12 }, (_, index): MemoryRule => ({ path: `/${index}/**`, access: "read" }));
    const description = opened(rules).node.memoryTools[0]?.description ?? "";
    expect(description).toContain("\n/0/** is read-only. /1/** is read-only.");
    expect(description).toMatch(
      /\/9\/\*\* is read-only\. The first of these that fits a path counts\. More rules follow\.$/,
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
  it("takes e-mail addresses and keys out of what every dialect stores, and refuses private keys", async () => {
    const guard = await guardOfPage();
    const secret = "ask ada@example.com, key sk-abcdefghijklmnop1234, AKIAABCDEFGHIJKLMNOP";
    const calls: Record<DialectName, DialectCall> = {
      unified: { tool: "memory", args: { command: "append", path: "/a", content: secret } },
      claude: { tool: "memory", args: { command: "create", path: "/memories/a", file_text: secret } },
      journal: { tool: "memory_write", args: { key: "whom", content: secret, target: "daily" } },
      records: { tool: "add_memory", args: { path: "a", content: secret } },
    };
    for (const [name, { tools }] of underTest) {
      const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant", guard });
      await toolNamed(tools(node), calls[name].tool).invoke(calls[name].args);
      const texts = (await node.memory().snapshot()).files.map(({ content }) => content).join("\n");
      expect([name, texts]).toEqual([name, expect.stringContaining("ask [e-mail address], key [key], [key]")]);
      expect(texts).not.toContain("ada@");
      await expect(node.memory().append("/b", "-----BEGIN PRIVATE KEY-----")).rejects.toThrow(
        "EACCES: /b must not hold a private key",
      );
    }
  });

  it("reads a megabyte without a match as fast as any other", async () => {
    const guard = await guardOfPage();
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant", guard });
    for (const text of ["a".repeat(1_000_000), "a@".repeat(500_000), "sk-".repeat(300_000)])
      await node.memory().write("/a", text);
  });
});
