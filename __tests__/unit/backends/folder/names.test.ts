import { describe, expect, it } from "@jest/globals";
import { readdirSync, readFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { foldName, isReserved, fileNameFault } from "../../../../src/backends/directory/names.js";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import fc from "../../../helpers/fast-check.js";
import { refuses } from "../../../helpers/memory-case.js";
import { allRefuse, folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";
import { DirectoryBackend } from "../../../../src/backends/directory/directory-backend.js";
import { Call } from "../../../../src/core/runtime/call.js";
import { type Change, MemoryTree } from "../../../../src/custom-backend/index.js";
import { digestTree } from "../../../../src/core/tree/digest.js";

const folder = testFolder();

const illegal = [
  "CON",
  "con",
  "Con.txt",
  "prn",
  "AUX.md",
  "nul",
  "NUL.tar.gz",
  "com1",
  "COM9.log",
  "lpt1",
  "LPT9",
  "COM¹",
  "CONIN$",
  "conout$",
  "con .txt",
  "a<b",
  "a>b",
  "a:b",
  'a"b',
  "a|b",
  "a?",
  "*",
  "dot.",
  "...",
  "space ",
  "name. ",
  "é".repeat(128),
  "🧠".repeat(64),
  "文".repeat(86),
];
const legal = [
  "console",
  "com",
  "com0",
  "COM10",
  "auxiliary",
  "null",
  "con-1",
  "nul_",
  ".con",
  "a blank within",
  ".hidden",
  "a.b",
  "$a",
  "é".repeat(127),
  "🧠".repeat(63),
  "x".repeat(255),
];
const reserved = [
  ".git",
  ".GIT",
  ".Git",
  "git~1",
  "GIT~1",
  ".g\u200Cit",
  "\u200D.git",
  ".git\u2060",
  ".langgraph-mongo-memory",
  ".LANGGRAPH-Mongo-memory",
];

describe("a name", () => {
  it.each(illegal)("%j is not created, as a file, a directory or by a rename", async (name) => {
    const { dir, memory } = memoryWith(folder, { file: "text" });
    for (const call of [
      () => memory.write(`/${name}`, "x"),
      () => memory.append(`/${name}/below`, "x"),
      () => memory.write(`/new/${name}/below`, "x"),
      () => memory.rename("/file", `/${name}`),
      () => memory.rename("/file", `/other/${name}`),
    ]) {
      await refuses(call(), "EINVAL");
    }
    expect(readdirSync(dir).toSorted()).toEqual([".langgraph-mongo-memory", "file"]);
  });

  it("that is illegal makes no folder where there is none", async () => {
    const dir = join(folderWith(folder), "missing");
    await refuses(openDirectoryMemory({ dir }).write("/a/nul", "x"), "EINVAL");
    expect(readdirSync(join(dir, ".."))).toEqual([]);
  });

  it.each(legal)("%j is created", async (name) => {
    const dir = folderWith(folder);
    await openDirectoryMemory({ dir }).write(`/${name}`, "x");
    expect(readdirSync(dir)).toContain(name);
  });
});

describe("two names that some file system takes for one", () => {
  it.each([
    ["a", "A"],
    ["Notes", "nOTES"],
    ["é", "É"],
    ["ß", "ẞ"],
    ["ς", "Σ"],
    ["ﬁ", "FI"],
    ["ж", "Ж"],
  ])("%j and %j are not created beside each other", async (one, two) => {
    const { memory } = memoryWith(folder);
    await memory.write(`/${one}`, "x");
    await refuses(memory.write(`/${two}`, "y"), "EINVAL");
    await refuses(memory.write(`/${two}/below`, "y"), "EINVAL");
    await memory.write("/other/file", "z");
    await refuses(memory.rename("/other", `/${two}`), "EINVAL");
    await refuses(memory.rename("/other/file", `/${two}/file`), "EINVAL");
    await refuses(memory.read(`/${two}`), "ENOENT");
    expect(await memory.stat(`/${two}`)).toBeNull();
    expect(await memory.delete(`/${two}`)).toEqual({ files: 0, dirs: 0 });
    await memory.write(`/sub/${two}`, "elsewhere");
  });

  it("in another normal form are one for this purpose, and the one there is read as it is spelled", async () => {
    const { memory } = memoryWith(folder, { "e\u0301": "by hand" });
    await refuses(memory.write("/é", "x"), "EINVAL");
    expect(await memory.read("/e\u0301")).toBe("by hand");
    await refuses(memory.read("/é"), "ENOENT");
  });

  it("may be the old and the new one of a rename", async () => {
    const { dir, memory } = memoryWith(folder, { "notes/file": "x" });
    await memory.rename("/notes", "/Notes");
    expect(await memory.read("/Notes/file")).toBe("x");
    expect(readdirSync(dir)).not.toContain("notes");
  });
});

describe("names that are never part of a memory", () => {
  it.each(reserved)("%j is refused in every command, at every level", async (name) => {
    const { memory } = memoryWith(folder, { real: "x", "sub/file": "y" });
    for (const path of [`/${name}`, `/${name}/config`, `/sub/${name}/hooks/x`]) await allRefuse(memory, path);
  });

  it("are not listed, and survive when the memory is emptied", async () => {
    const { dir, memory } = memoryWith(folder, {
      ".git/config": "[core]",
      "sub/.GIT/config": "x",
      "sub/file": "y",
      ".gitignore": "z",
    });
    await memory.append("/file", "x");
    expect((await memory.list()).map(({ name }) => name)).toEqual([".gitignore", "file", "sub"]);
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/.gitignore", "/file", "/sub/file"]);
    expect(await memory.delete("/")).toEqual({ files: 3, dirs: 1 });
    expect(readFileSync(join(dir, ".git/config"), "utf8")).toBe("[core]");
  });

  it("are few: what merely looks like them is a name", () => {
    for (const name of [
      ".gitignore",
      ".github",
      "git",
      ".git-old",
      "git~2",
      ".agit",
      ".langgraph",
      "langgraph-mongo-memory",
    ]) {
      expect(isReserved(name)).toBe(false);
      expect(fileNameFault(name)).toBeNull();
    }
  });
});

describe("names that no path can hold", () => {
  it("deeper than a path may be are passed over", async () => {
    const deep = Array.from({ length: 32 }, () => "d").join("/");
    const dir = folderWith(folder, { [`${deep}/file`]: "x" });
    const { files, directories } = await openDirectoryMemory({ dir }).snapshot();
    expect([files, directories.length]).toEqual([[], 32]);
  });
});

it("folding is one spelling for each name, and folding again changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name));
      expect(foldName(name.normalize("NFD"))).toBe(foldName(name));
      expect(foldName(name.toUpperCase())).toBe(foldName(name));
    }),
  );
});

const notText = Buffer.from([0xff]);

/** The change as a person was shown it: with the digest of the memory as it is now. */
async function prepare(contents: Record<string, string | Uint8Array>, change: Change) {
  const dir = folderWith(folder, contents);
  const backend = new DirectoryBackend({
    dir,
    maxFileBytes: 1000,
    lockTimeoutMs: 1000,
    rights: "owner",
  });
  const call = new Call({ actor: null, timeoutMs: 10_000 });
  const expectedDigest = digestTree(new MemoryTree(await backend.snapshot(call)), change);
  return { dir, make: () => backend.change(change, { expectedDigest }, call) };
}

const replace = { type: "write", path: "/a", content: "new", ifExists: "replace", ifMissing: "create" } as const;
const remove = { type: "delete", path: "/d", ifDirectory: "delete" } as const;
const rename = { type: "rename", path: "/d", to: "/e" } as const;

describe("a change of a folder with the digest of what it was planned for", () => {
  it.each([
    ["a text", replace, "a"],
    ["a deleted directory", remove, "d/f"],
    ["the root", { ...remove, path: "/" }, "a"],
    ["a moved directory", rename, "d/f"],
  ])("is refused if %s has changed", async (_, change, edited) => {
    const { dir, make } = await prepare({ a: "text", "d/f": "text" }, change);
    writeFileSync(join(dir, edited), "by hand");
    await expect(make()).rejects.toMatchObject({ code: "ECONFLICT" });
    expect(readFileSync(join(dir, edited), "utf8")).toBe("by hand");
    expect(existsSync(join(dir, "d/f"))).toBe(true);
  });

  it("is made if nothing has changed, files without text included", async () => {
    const contents = { a: "text", "d/f": "text", "d/bad": notText };
    const replaced = await prepare(contents, replace);
    await replaced.make();
    expect(readFileSync(join(replaced.dir, "a"), "utf8")).toBe("new");
    const removed = await prepare(contents, remove);
    await removed.make();
    expect(existsSync(join(removed.dir, "d"))).toBe(false);
    const moved = await prepare(contents, rename);
    await moved.make();
    expect(readFileSync(join(moved.dir, "e/bad"))).toEqual(notText);
  });

  it("never moves a file over one without text", async () => {
    const { dir, make } = await prepare({ a: "text", b: notText }, { type: "rename", path: "/a", to: "/b" });
    await expect(make()).rejects.toMatchObject({ code: "EEXIST", path: "/b" });
    expect(readFileSync(join(dir, "b"))).toEqual(notText);
  });
});
