import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import {
  type MemoryAccess,
  type MemoryRule,
  MemoryError,
  type Memory,
  MemoryNode,
  type MemoryNodeOptions,
} from "../../../src/index.js";
import { checkPolicy, type MemoryPolicy } from "../../../src/core/access/policy.js";
import { isGranted } from "../../../src/core/access/rights.js";
import { bindMemory } from "../../../src/core/bind-memory.js";
import { Policies } from "../../../src/core/access/policies.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { restrict } from "../../helpers/restrict.js";
import { mayDo, verdictOf } from "../../helpers/access-model.js";
import { BaseStoreBackend } from "../../../src/backends/base-store.js";
import { ProcessRecords } from "../../../src/core/approval/process-records.js";
import { changeOnce } from "../../../src/core/contract/change-once.js";
import type { ChangeRecord } from "../../../src/core/contract/change-record.js";
import { Call } from "../../../src/core/runtime/call.js";

async function memoryUnder(
  ...policies: (MemoryPolicy & { access?: MemoryAccess })[]
): Promise<{ memory: Memory; free: Memory }> {
  const free = freshMemory();
  await free.write("/policies/refunds", "30 days");
  await free.write("/log", "first");
  return { memory: policies.reduce(restrict, free), free };
}

const readOnlyPolicies: MemoryPolicy = { rules: [{ path: "/policies/**", access: "read" }] };

describe("a restricted memory", () => {
  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["a delete of everything", (memory) => memory.delete("/")],
    ["a rename into the directory", (memory) => memory.rename("/log", "/policies/log")],
    ["a write in another spelling", (memory) => memory.with({ paths: "plain" }).write("policies\\\\refunds/", "x")],
  ])("refuses %s where a rule says read, and stores nothing", async (_name, change) => {
    const { memory, free } = await memoryUnder(readOnlyPolicies);
    const before = await free.snapshot();
    await expect(change(memory.with({ timeoutMs: 5_000 }))).rejects.toMatchObject({
      code: "EACCES",
      message: expect.stringMatching(/^EACCES: \/policies(\/\w+)? is read-only here \(access "read"\)$/),
    });
    expect(await free.snapshot()).toEqual(before);
  });

  it('lets a write make a new file by access "append", and replace none', async () => {
    const { memory, free } = await memoryUnder({ access: "append" });
    await memory.write("/new", "x", { ifExists: "fail" });
    await expect(memory.write("/new", "y")).rejects.toMatchObject({ code: "EACCES" });
    expect(await free.read("/new")).toBe("x");
  });

  it("tells of a bad path before it tells of its access", async () => {
    const { memory } = await memoryUnder({ access: "read" });
    await expect(memory.write("/../policies", "x")).rejects.toMatchObject({ code: "EINVAL" });
  });

  it("knows a spelling of Unicode for the same as the other", async () => {
    const { memory, free } = await memoryUnder({ rules: [{ path: "/caf\u00e9/**", access: "read" }] });
    await expect(memory.delete("/cafe\u0301")).rejects.toMatchObject({ code: "EACCES" });
    await expect(
      bindMemory(free, { policies: [checkPolicy({ rules: [{ path: "/cafe\u0301", access: "read" }] })] }).append(
        "/caf\u00e9",
        "x",
      ),
    ).rejects.toThrow("EACCES");
  });
});

const names = ["a", "b", "ab", "\u{1f600}"];
const anyPath = fc.array(fc.constantFrom(...names), { maxLength: 4 }).map((each) => `/${each.join("/")}`);
const anyRule = fc.record<MemoryRule>({
  path: fc
    .array(fc.constantFrom(...names, "*", "**", "a*", "*b", "?", "??", "?*"), { minLength: 1, maxLength: 4 })
    .map((each) => `/${each.join("/")}`),
  access: fc.constantFrom<MemoryAccess>("read", "append", "write", "ask"),
});
const anyRules = fc.array(anyRule, { maxLength: 5 });

describe("random trees of rules", () => {
  it("let everybody do what the model says, and no more", () => {
    const anyTree = fc.tuple(
      fc.array(anyRules, { minLength: 1, maxLength: 3 }),
      fc.array(anyPath, { minLength: 5, maxLength: 5 }),
    );
    assertProperty(
      fc.property(anyTree, ([trees, paths]) => {
        const policies = trees.map((rules) => ({ rules }));
        const checked = new Policies(policies.map(checkPolicy));
        const { widest } = checked.rights;
        for (const path of paths) {
          for (const needed of ["append", "write"] as const) {
            const expected = verdictOf(policies, path, needed);
            // What the words for a model promise holds of every path.
            const isTold = isGranted(needed, widest);
            if (decide(checked, path, needed) !== expected || (expected !== "no" && !isTold))
              throw new Error(`${needed} of ${path}: ${expected}`);
          }
        }
      }),
      { usual: 200, long: 10_000 },
    );
  });

  it("let a memory be changed only so far", async () => {
    const anyChange = fc.tuple(fc.constantFrom("append", "write", "create", "delete", "rename"), anyPath, anyPath);
    const property = fc.asyncProperty(anyRules, fc.array(anyChange, { maxLength: 4 }), async (rules, changes) => {
      const free = freshMemory();
      for (const path of ["/a/b/ab", "/a/a", "/b/ab/a/b", "/ab"]) await free.write(path, path);
      const memory = bindMemory(free, { policies: [checkPolicy({ rules })] });
      for (const [command, path, other] of changes) {
        const before = await textsOf(free);
        await run(memory, command, path, other).catch((error: unknown) =>
          expect(MemoryError.isInstance(error)).toBe(true),
        );
        const after = await textsOf(free);
        for (const each of new Set([...before.keys(), ...after.keys()])) {
          const [old, now] = [before.get(each), after.get(each)];
          if (old === now) continue;
          const isAdded = old === undefined || (now?.startsWith(old) === true && command === "append");
          const needed = isAdded && command !== "rename" && command !== "write" ? "append" : "write";
          if (!mayDo([{ rules }], each, needed)) throw new Error(`${command} changed ${each}`);
        }
      }
    });
    await assertProperty(property, { usual: 40, long: 10_000 });
  });
});

function decide(policies: Policies, path: string, needed: "append" | "write"): string {
  try {
    return policies.decide(path, needed) === "allow" ? "yes" : "ask";
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code === "EACCES") return "no";
    throw error;
  }
}

/** With directories, which have no text. */
async function textsOf(memory: Memory): Promise<Map<string, string>> {
  const { files, directories } = await memory.snapshot();
  const deleted = files.map(({ path, content }): [string, string] => [path, content]);
  // A new directory is no change of its path; one that is gone is.
  return new Map(
    [
      ...deleted,
      ...directories
        .filter((path) => files.some((file) => file.path.startsWith(`${path}/`)))
        .map((path): [string, string] => [path, ""]),
    ].filter(([, text]) => text !== ""),
  );
}

async function run(memory: Memory, command: string, path: string, other: string): Promise<unknown> {
  if (command === "append") return memory.append(path, "x");
  if (command === "write") return memory.write(path, "x");
  if (command === "create") return memory.write(path, "x", { ifExists: "fail" });
  return command === "delete" ? memory.delete(path) : memory.rename(path, other);
}

describe("a guard", () => {
  const redact: MemoryPolicy["guard"] = async ({ content }) => content.replaceAll(/\S+@\S+/g, "[e-mail]");

  it.each<[command: string, (memory: Memory) => Promise<unknown>, content: string, stored: string]>([
    ["append", (memory) => memory.append("/log", "by a@b.c"), "by a@b.c", "first\nby [e-mail]"],
    ["write", (memory) => memory.write("//log", "a@b.c"), "a@b.c", "[e-mail]"],
    ["update", (memory) => memory.update("/log", "first", "a@b.c"), "a@b.c", "[e-mail]"],
    ["edit", (memory) => memory.edit("/log", (text) => `${text} a@b.c`), "first a@b.c", "first [e-mail]"],
  ])("sees the text of %s, and what it answers is stored", async (command, change, content, stored) => {
    const changes: object[] = [];
    const { memory, free } = await memoryUnder({ guard: (given) => void changes.push(given) }, { guard: redact });
    await change(memory);
    expect(changes).toEqual([{ command, path: "/log", content, address: free.address, actor: null }]);
    expect(await free.read("/log")).toBe(stored);
  });

  it("is asked neither about what stores no text nor about what a rule refuses", async () => {
    const guard = (): never => {
      throw new Error("asked");
    };
    const { memory } = await memoryUnder({ guard, rules: [{ path: "/policies/**", access: "read" }] });
    await memory.rename("/log", "/old");
    await memory.delete("/old");
    await expect(memory.append("/policies/refunds", "x")).rejects.toThrow("read-only");
  });

  it.each<[string, unknown, object]>([
    ["an error", new Error("no secrets"), { code: "EACCES", message: "EACCES: no secrets", path: "/log" }],
    ["a text", "no secrets", { code: "EACCES", message: 'EACCES: "no secrets"' }],
    ["a MemoryError", new MemoryError("ENOSPC", "ENOSPC: enough"), { code: "ENOSPC", message: "ENOSPC: enough" }],
    ["an interrupt of LangGraph", Object.assign(new Error("ask"), { is_bubble_up: true }), { message: "ask" }],
  ])("that throws %s refuses the change, and nothing is stored", async (_name, thrown, expected) => {
    const { memory, free } = await memoryUnder({
      guard: () => {
        throw thrown;
      },
    });
    for (const change of [memory.append("/log", "x"), memory.edit("/log", (text) => `${text}x`)])
      await expect(change).rejects.toMatchObject(expected);
    expect(await free.read("/log")).toBe("first");
  });

  it.each<[string, answer: unknown, code: string, message: string]>([
    ["a number", 7, "EINVAL", "the guard must answer a text or nothing (given 7)"],
    ["null", null, "EINVAL", "the guard must answer a text or nothing (given null)"],
    ["an object", { content: "x" }, "EINVAL", "the guard must answer a text or nothing (given an object)"],
    ["a lone surrogate", "\ud800", "EINVAL", "the text of the guard is not well-formed"],
    ["too much", "x".repeat(1_000_001), "EFBIG", "EFBIG: "],
  ])("that answers %s refuses the change, and nothing is stored", async (_name, answer, code, message) => {
    const { memory, free } = await memoryUnder({ guard: (() => answer) as MemoryPolicy["guard"] });
    for (const change of [memory.write("/log", "x"), memory.edit("/log", (text) => `${text}x`)])
      await expect(change).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await free.read("/log")).toBe("first");
  });

  it("that does not answer ends the call when its time is up, and what it answers later is not stored", async () => {
    const answers: (() => void)[] = [];
    const { memory, free } = await memoryUnder({
      guard: () =>
        new Promise((resolve) => {
          answers.push(() => resolve("late"));
        }),
    });
    const soon = memory.with({ timeoutMs: 100 });
    for (const change of [soon.write("/log", "x"), soon.edit("/log", (text) => `${text}x`)]) {
      await expect(change).rejects.toMatchObject({
        code: "EIO",
        message: "EIO: no answer of the guard within 100 ms (timeoutMs)",
      });
    }
    const stop = new AbortController();
    const stopped = memory.with({ signal: stop.signal }).append("/log", "x");
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    for (const answer of answers) answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await free.read("/log")).toBe("first");
  });

  it("that takes its time lets no edit be lost", async () => {
    const { memory, free } = await memoryUnder({
      guard: async ({ content }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return content;
      },
    });
    const edits = Array.from({ length: 20 }, (_, index) => memory.edit("/log", (text) => `${text}\n${index}`));
    await Promise.all([...edits, free.append("/log", "free")]);
    const lines = (await free.read("/log")).split("\n");
    expect(lines.toSorted()).toEqual(
      ["first", "free", ...Array.from({ length: 20 }, (_, index) => String(index))].toSorted(),
    );
  });

  it("is told who acts: the run, and the actor that a program gave", async () => {
    const actors: unknown[] = [];
    const node = new MemoryNode({
      store: new InMemoryStore(),
      nodeId: "assistant",
      scope: "perUser",
      userId: () => "ada",
      guard: ({ actor }) => void actors.push(actor),
    });
    const config = {
      configurable: { thread_id: "t", user_id: 7, checkpoint_id: "c", run_id: "r" },
      metadata: { langgraph_node: "tools" },
    };
    await node.memoryTools[0]?.invoke(
      { name: "memory", args: { command: "append", path: "/a", content: "x" }, id: "call", type: "tool_call" },
      config,
    );
    await node.memory("grace").append("/a", "x");
    await node
      .memory("grace")
      .with({ actor: { client: "script" } })
      .edit("/a", (text) => `${text}y`);
    expect(actors).toEqual([
      { userId: "ada", threadId: "t", runId: "r", checkpointId: "c", toolCallId: "call", node: "tools" },
      null,
      { client: "script" },
    ]);
  });
});

describe("bad rules and guards", () => {
  const made = (options: Partial<MemoryNodeOptions> | Record<string, unknown>) => () =>
    new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant", ...options });
  const one = (rule: unknown): object => ({ rules: [rule] });

  it.each<[string, object, string]>([
    [
      "an unknown access",
      one({ path: "/a", access: "rw" }),
      'rules.0.access: must be "write", "append", "read" or "ask" (given "rw")',
    ],
    ["no access", one({ path: "/a" }), "rules.0.access: must be"],
    [
      "a relative path",
      one({ path: "policies/**", access: "read" }),
      'rules.0.path: must be an absolute path, such as "/policies/**" (given "policies/**")',
    ],
    ["an empty path", one({ path: "", access: "read" }), "rules.0.path: must be an absolute path"],
    ["a path that is no text", one({ path: 7, access: "read" }), "rules.0.path"],
    ["a path that climbs", one({ path: "/a/../b", access: "read" }), 'rules.0.path: invalid path: ".." not allowed'],
    ["stars inside a name", one({ path: "/a**", access: "read" }), 'rules.0.path: "**" must be a whole name'],
    ["alternatives", one({ path: "/{a,b}/**", access: "read" }), "rules.0.path: must not contain [ ] { } or \\"],
    [
      "a path over its limit",
      one({ path: `/${"a/".repeat(600)}`, access: "read" }),
      "rules.0.path: invalid path: more than 32 levels",
    ],
    ["an unknown field", one({ path: "/a", access: "read", who: "me" }), 'unknown option "rules.0.who"'],
    ["no list", { rules: "/a" }, "rules: "],
    ["a rule that is none", { rules: ["/a"] }, "rules.0: "],
    ["too many rules", { rules: Array.from({ length: 101 }, () => ({ path: "/a", access: "read" })) }, "rules: "],
    [
      "a guard that is no function",
      { guard: "redact" },
      "guard: must be a function from a change to a text or nothing",
    ],
  ])("%s is refused when it is given", (_name, options, message) => {
    expect(made(options)).toThrow(TypeError);
    expect(made(options)).toThrow(message);
  });

  it("a memory that is not of this package cannot be restricted", async () => {
    const { free } = await memoryUnder();
    const foreign = { address: free.address, read: (path: string) => free.read(path) } as Memory;
    expect(() => bindMemory(foreign, { policies: [checkPolicy(readOnlyPolicies)] })).toThrow(TypeError);
  });
});

const limits = { maxFileBytes: 1000, maxMemoryBytes: 1000 };
const open = (store: InMemoryStore): BaseStoreBackend => new BaseStoreBackend(store, ["memory", "a", "global"], limits);

describe("two stores with a memory of one address", () => {
  it("each make a change of one identity, and make it once", async () => {
    const stores = [new InMemoryStore(), new InMemoryStore()];
    const append = async (store: InMemoryStore): Promise<string> => {
      const call = new Call({ actor: null, timeoutMs: Infinity });
      call.changeId = "the identity of a call of a tool";
      const change = { type: "append", path: "/notes", content: "text", create: true, lineEnds: "exact" } as const;
      await changeOnce(open(store), change, {}, call);
      return open(store).read("/notes", call);
    };
    for (const store of [...stores, ...stores]) expect(await append(store)).toBe("text");
  });

  it("each keep their own changes that wait for a person", async () => {
    const [one, other] = [new InMemoryStore(), new InMemoryStore()];
    const call = new Call({ actor: null, timeoutMs: Infinity });
    const recordsOf = (store: InMemoryStore): ProcessRecords => new ProcessRecords(open(store), call);
    const record = { id: "the id of a request", status: "pending" } as ChangeRecord;
    await recordsOf(one).put(record);
    expect(await recordsOf(other).find(record.id)).toBeNull();
    expect(await recordsOf(other).swap(record.id, { status: "pending" }, { status: "approved" })).toBeNull();
    expect(await recordsOf(one).find(record.id)).toEqual(record);
  });
});
