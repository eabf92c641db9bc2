import { describe, expect, it } from "@jest/globals";
import { equal } from "node:assert/strict";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { freshMemory } from "../../helpers/fresh-memory.js";
import { mayDo } from "../../helpers/access-model.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { restrict } from "../../helpers/restrict.js";
import { mountMemories, type Memory, type MemoryAccess, MemoryError, openMemory } from "../../../src/index.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";

const store = new InMemoryStore();
const open = (): Memory => openMemory(store, freshAddress());

/** Memories by mount point, each with files. */
async function treeOf(
  mounts: Record<string, Record<string, string>>,
): Promise<{ tree: Memory; memories: Record<string, Memory> }> {
  const memories = Object.fromEntries(Object.keys(mounts).map((point) => [point, open()]));
  for (const [point, files] of Object.entries(mounts))
    for (const [path, text] of Object.entries(files)) await memories[point]?.write(path, text);
  return { tree: mountMemories(memories), memories };
}

const pathsIn = async (memory: Memory | undefined): Promise<string[]> =>
  (await memory?.snapshot())?.files.map(({ path }) => path) ?? [];

/** The same memory. Each call of a method is told first. */
function recording(memory: Memory, tell: (method: string) => void): Memory {
  return new Proxy(memory, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]): Promise<unknown> => {
        tell(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

describe("a tree of mounts", () => {
  // What a tree of mounts answers, and by which codes it refuses, is compared with a model: `defineMountProperty`.
  it("says what to do in place of a delete or a rename that it refuses", async () => {
    const { tree } = await treeOf({ "/": { "/own": "x" }, "/team": { "/in": "y" } });
    const message = "EXDEV: /own is in another memory than the new path; write the text there, then delete it here";
    await refuses(tree.rename("/own", "/team/own"), "EXDEV", message);
    await refuses(tree.delete("/team"), "EACCES", "EACCES: /team is a mount point, which cannot be deleted");
  });

  it("has the contents in its outline that fit, of what is seen of each memory", async () => {
    const { tree } = await treeOf({ "/": { "/team/hidden": "x", "/seen": "x" }, "/team": { "/in": "y" } });
    expect((await tree.outline({ maxContentBytes: 6 })).files.map(({ content }) => content)).toEqual(["x", "y"]);
  });

  it("names paths of the tree in the messages of a tree in a tree", async () => {
    const { tree: inner } = await treeOf({ "/": { "/x": "x" }, "/team/dir": {} });
    const policed = restrict(open(), { rules: [{ path: "/a", access: "read" }] });
    const asking = restrict(open(), { access: "ask" });
    const tree = mountMemories({
      "/": open(),
      "/far/off": mountMemories({ "/": open(), "/b": inner, "/p": policed, "/ask": asking }),
    });
    const at = "/far/off/b";
    const refusals: [() => Promise<unknown>, string, string][] = [
      [() => tree.delete(`${at}/team/dir`), `${at}/team/dir`, "is a mount point, which cannot be deleted"],
      [() => tree.rename(`${at}/team`, `${at}/y`), `${at}/team`, "is a mount point or has one below it"],
      [() => tree.rename(`${at}/x`, `${at}/team/dir/x`), `${at}/x`, "is in another memory than the new path;"],
      [() => tree.write("/far/off/p/a", "x"), "/far/off/p/a", "is read-only here"],
      [() => tree.write("/far/off/ask/a", "x"), "/far/off/ask/a", "is changed only if a person approves"],
    ];
    for (const [call, path, reason] of refusals) {
      const message = expect.stringContaining(`: ${path} ${reason}`);
      await expect(call()).rejects.toMatchObject({ path, message });
    }
    await expect(inner.delete("/team/dir")).rejects.toMatchObject({
      path: "/team/dir",
      message: "EACCES: /team/dir is a mount point, which cannot be deleted",
      stack: expect.stringMatching(/^MemoryError: EACCES: \/team\/dir is .*\n +at /),
    });
  });

  it("leaves an error as it is that a guard throws again and again, and passes a copy with its cause and its stack", async () => {
    class GuardError extends MemoryError {}
    const cause = new Error("cause");
    const thrown = new GuardError("EACCES", "EACCES: not this", { cause });
    Object.freeze(thrown);
    const guard = (): never => {
      throw thrown;
    };
    const guarded = restrict(open(), { guard });
    const tree = mountMemories({ "/": open(), "/far": mountMemories({ "/": open(), "/team": guarded }) });
    for (const name of ["a", "b", "c"]) {
      const error = await tree.write(`/far/team/${name}`, "x").catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(GuardError);
      expect(error).toMatchObject({ path: `/far/team/${name}`, code: "EACCES", message: "EACCES: not this", cause });
      expect((error as Error).stack).toBe(thrown.stack);
    }
    expect("path" in thrown).toBe(false);
  });

  it("reaches the longest and the deepest paths of each memory", async () => {
    const { tree } = await treeOf({ "/": {}, "/team": {} });
    const longest = `/${Array.from({ length: 4 }, () => "x".repeat(255)).join("/")}`;
    await tree.write(`/team${longest}`, "x");
    await tree.write(`/team${"/d".repeat(32)}`, "x");
    await refuses(tree.write(longest.replace("x", "xx"), "x"), "EINVAL");
    await refuses(tree.write("/d".repeat(33), "x"), "EINVAL");
    expect((await pathsIn(tree)).length).toBe(2);
  });

  it("asks only the memories that a command concerns, each once", async () => {
    const asked: string[] = [];
    const { memories } = await treeOf({ "/": { "/a": "x" }, "/t": { "/b": "y" }, "/u": {} });
    const watched = Object.fromEntries(
      Object.entries(memories).map(([point, memory]) => [
        point,
        recording(memory, (name) => asked.push(`${point} ${name}`)),
      ]),
    );
    const tree = mountMemories(watched);
    const during = async (run: () => Promise<unknown>): Promise<string[]> => {
      asked.length = 0;
      await run();
      return [...asked];
    };
    expect(await during(() => tree.read("/t/b"))).toEqual(["/t read"]);
    expect(await during(() => tree.list("/"))).toEqual(["/ list"]);
    expect(await during(() => tree.delete("/u/x"))).toEqual(["/u delete"]);
    expect(await during(() => tree.rename("/t/b", "/t/d"))).toEqual(["/t rename"]);
    expect(await during(() => tree.search("x", { path: "/t/a" }))).toEqual(["/t search"]);
    expect(await during(() => tree.grep("x", { path: "/u" }))).toEqual(["/u grep"]);
    for (const name of ["snapshot", "outline"] as const)
      expect((await during(() => tree[name]())).toSorted()).toEqual([`/ ${name}`, `/t ${name}`, `/u ${name}`]);
  });

  it("finds in each memory what is seen of it, by the paths of the tree", async () => {
    const { tree } = await treeOf({
      "/": { "/own": "a zebra", "/team/hidden": "a zebra, hidden by a mount" },
      "/team": { "/plan": "a zebra here too", "/deep/hidden": "a zebra" },
      "/team/deep": { "/x": "no lion" },
    });
    expect((await tree.search("zebra")).map(({ path }) => path).toSorted()).toEqual(["/own", "/team/plan"]);
    expect((await tree.grep("zebra")).map(({ path }) => path)).toEqual(["/own", "/team/plan"]);
    expect((await tree.search("lion", { path: "/team" })).map(({ path }) => path)).toEqual(["/team/deep/x"]);
    expect((await tree.grep("zebra", { path: "/team/plan" })).map(({ path, line }) => [path, line])).toEqual([
      ["/team/plan", 1],
    ]);
    expect(await tree.grep("zebra", { path: "/team/deep" })).toEqual([]);
  });

  it("finds as much as was asked for, however much is hidden", async () => {
    const hidden = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`/a/${index}`, "zebra"]));
    const { tree } = await treeOf({ "/": { ...hidden, "/b": "a zebra among other words" }, "/a": {} });
    expect((await tree.search("zebra", { limit: 1 })).map(({ path }) => path)).toEqual(["/b"]);
    expect((await tree.grep("zebra", { limit: 1 })).map(({ path }) => path)).toEqual(["/b"]);
  });
});

describe("random trees of mounts and rules", () => {
  const patterns = ["/**", "/a/**", "/*/f", "/b/?/f", "/f", "/**/b/**"];

  it("let everybody do what the model says, and no more", async () => {
    const access = fc.constantFrom<MemoryAccess>("write", "append", "read");
    const point = fc.constantFrom("/a", "/b", "/a/b", "/b/c");
    const path = fc
      .array(fc.constantFrom("a", "b", "c"), { maxLength: 3 })
      .map((names) => `/${[...names, "f"].join("/")}`);
    const command = fc.constantFrom("append" as const, "write" as const, "delete" as const, "read" as const);
    const calls = fc.array(fc.tuple(command, path), { minLength: 3, maxLength: 3 });
    const rules = fc.array(fc.record({ path: fc.constantFrom(...patterns), access }), { maxLength: 3 });
    // One memory everywhere: thousands of trees of new ones would take four times as long.
    const memory = freshMemory({ timeoutMs: Infinity });
    const trees = fc
      .tuple(access, fc.dictionary(point, access, { maxKeys: 3, noNullPrototype: true }))
      .map(([own, others]): Record<string, MemoryAccess> => ({ "/": own, ...others }));
    const property = fc.asyncProperty(trees, rules, calls, async (mounts, narrowing, commands) => {
      const memories = Object.entries(mounts).map(([at, allowed]) => [at, { memory, access: allowed }] as const);
      const tree = restrict(mountMemories(Object.fromEntries(memories)), { rules: narrowing });
      for (const [name, at] of commands) {
        const outcome = await (name === "read" || name === "delete" ? tree[name](at) : tree[name](at, "x")).then(
          () => "done",
          ({ code }: { code: string }) => code,
        );
        const points = Object.keys(mounts).filter((each) => at.startsWith(each === "/" ? "/" : `${each}/`));
        const [longest = "/"] = points.toSorted((one, other) => other.length - one.length);
        const policies = [{ access: mounts[longest] }, { rules: narrowing }];
        const isAllowed = name === "read" || mayDo(policies, at, name === "append" ? "append" : "write");
        equal(outcome !== "EACCES", isAllowed, `${name} ${at}`);
      }
    });
    await assertProperty(property, { usual: 80, long: 10_000 });
  });
});

describe("bad mounts", () => {
  const memory = open();
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`/${index}`, memory]));

  it.each<[string, unknown, string]>([
    [
      "none at the root",
      { "/team": memory, "/house": { memory, access: "read" } },
      'no memory is mounted at "/"; every path belongs to a memory, so mount one there',
    ],
    ["none", {}, "the mounts must be an object of 1 to 32 mount points"],
    ["too many", many, "(given 33 of them)"],
    ["a list", [memory], "(given a list)"],
    ["a memory", memory, "the mounts must be an object"],
    ["a relative point", { team: memory }, 'a mount point is an absolute path, such as "/team" (given "team")'],
    ["an empty point", { "": memory }, '(given "")'],
    ["a point that climbs", { "/a/../b": memory }, 'given "/a/../b"): invalid path: ".." not allowed'],
    ["a control character", { "/a\n": memory }, "control characters are not allowed"],
    [
      "the same point twice",
      { "/team": memory, "/team/": memory },
      '"/team" and "/team/" are the same mount point; leave one of them out',
    ],
    ["no memory", { "/": null }, 'invalid mount "/"'],
    ["a store", { "/": store }, "memory"],
    ["settings without a memory", { "/": { access: "read" } }, 'invalid mount "/": memory: must be a Memory'],
    [
      "an unknown access",
      { "/": { memory, access: "readonly" } },
      'access: must be "write", "append", "read" or "ask"',
    ],
    ["an unknown setting", { "/": { memory, readOnly: true } }, 'unknown option "readOnly"'],
    ["an empty description", { "/": { memory, description: "" } }, "description"],
  ])("are refused with what would do: %s", (_title, mounts, message) => {
    const make = (): Memory => mountMemories(mounts as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});
