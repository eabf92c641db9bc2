import { describe, expect, it } from "@jest/globals";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  existsSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { inspect } from "node:util";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { refuses } from "../../../helpers/memory-case.js";
import { folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";
import {
  appendSoon,
  crashedId,
  heldByOthers,
  leaveLock,
  openImpatiently,
  workFolder,
} from "../../../helpers/left-lock.js";
import { fileSystemError } from "../../../../src/backends/directory/fs-errors.js";
import { MemoryError } from "../../../../src/index.js";
import { fileNotFound } from "../../../../src/core/values/errors.js";

const folder = testFolder();
const notText = "EIO: the file is not UTF-8 text";

describe("a file that is no UTF-8 text", () => {
  const bytes = {
    "a lone byte": Buffer.from([0x61, 0xff, 0x62]),
    "a cut character": Buffer.from("é").subarray(0, 1),
    "UTF-16": Buffer.from("\uFEFFtext", "utf16le"),
    "a surrogate": Buffer.from([0xed, 0xa0, 0x80]),
    "an overlong slash": Buffer.from([0xc0, 0xaf]),
  };

  it.each(Object.entries(bytes))("such as %s is EIO and never guessed at", async (_, content) => {
    const { memory } = memoryWith(folder, { bad: content, good: "text" });
    for (const call of [
      () => memory.read("/bad"),
      () => memory.append("/bad", "x"),
      () => memory.update("/bad", "a", "x"),
      () => memory.edit("/bad", () => "x"),
    ]) {
      await refuses(call(), "EIO", notText);
    }
  });

  it("is listed with its size, is in no snapshot, and breaks nothing else", async () => {
    const { memory } = memoryWith(folder, { "sub/bad": Buffer.from([0xff, 0xfe]), good: "text" });
    expect(await memory.list("/sub")).toEqual([{ name: "bad", kind: "file" }]);
    expect(await memory.stat("/sub/bad")).toMatchObject({ kind: "file", sizeBytes: 2 });
    expect(await memory.stat("/")).toMatchObject({ sizeBytes: 6 });
    expect((await memory.outline()).files).toEqual([
      { path: "/good", sizeBytes: 4 },
      { path: "/sub/bad", sizeBytes: 2 },
    ]);
    expect((await memory.outline({ maxContentBytes: 10 })).files).toEqual([
      { path: "/good", sizeBytes: 4, content: "text" },
    ]);
    await memory.append("/good", "more");
    const { files, directories } = await memory.snapshot();
    expect([files.map(({ path }) => path), directories]).toEqual([["/good"], ["/sub"]]);
  });

  it("is moved, overwritten and deleted like another", async () => {
    const { memory } = memoryWith(folder, { "a/bad": Buffer.from([0xff]), worse: Buffer.from([0xfe]) });
    await memory.rename("/a", "/b");
    await memory.write("/worse", "better");
    expect(await memory.read("/worse")).toBe("better");
    expect(await memory.delete("/b")).toEqual({ files: 1, dirs: 1 });
  });
});

it("a file of more than 15,000,000 bytes is EFBIG, and breaks nothing else", async () => {
  const dir = folderWith(folder, { large: "", good: "text" });
  truncateSync(join(dir, "large"), 15_000_001);
  const memory = openDirectoryMemory({ dir });
  await refuses(
    memory.read("/large"),
    "EFBIG",
    "EFBIG: the file has 15000001 bytes; a memory reads files of at most 15000000 bytes",
  );
  await refuses(memory.append("/large", "x"), "EFBIG");
  expect(await memory.stat("/large")).toMatchObject({ sizeBytes: 15_000_001 });
  expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/good"]);
});

it("a byte order mark and carriage returns stay as they are", async () => {
  const { memory } = memoryWith(folder, { file: "\uFEFFone\r\ntwo" });
  expect(await memory.read("/file")).toBe("\uFEFFone\r\ntwo");
  await memory.append("/file", "three");
  expect((await memory.snapshot()).files[0]).toMatchObject({ content: "\uFEFFone\r\ntwo\nthree", sizeBytes: 17 });
});

describe("what a hand does between two calls", () => {
  it("is seen by the next one, of every kind", async () => {
    const { dir, memory } = memoryWith(folder, { a: "one" });
    await memory.append("/a", "two");
    appendFileSync(join(dir, "a"), "\nby hand");
    expect(await memory.read("/a")).toBe("one\ntwo\nby hand");
    await memory.append("/a", "three");
    expect(await memory.read("/a")).toBe("one\ntwo\nby hand\nthree");
    mkdirSync(join(dir, "sub"));
    writeFileSync(join(dir, "sub/b"), "x");
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/a", "/sub/b"]);
    renameSync(join(dir, "sub"), join(dir, "moved"));
    unlinkSync(join(dir, "a"));
    expect(await memory.list()).toEqual([{ name: "moved", kind: "dir" }]);
    await refuses(memory.read("/a"), "ENOENT");
    await memory.append("/moved/b", "y");
    expect(await memory.read("/moved/b")).toBe("x\ny");
  });

  it("may be of the same size and the same time", async () => {
    const { dir, memory } = memoryWith(folder, { a: "one" });
    const { updatedAt } = await memory.write("/a", "two");
    writeFileSync(join(dir, "a"), "six");
    utimesSync(join(dir, "a"), updatedAt, updatedAt);
    expect(await memory.read("/a")).toBe("six");
    expect((await memory.snapshot()).files[0]?.content).toBe("six");
  });

  it("may take the whole folder away, and the next change makes it anew", async () => {
    const { dir, memory } = memoryWith(folder, { a: "one" });
    await memory.append("/a", "two");
    rmSync(dir, { recursive: true });
    expect([await memory.list(), (await memory.snapshot()).files]).toEqual([[], []]);
    await memory.append("/b/c", "again");
    expect(await memory.read("/b/c")).toBe("again");
  });

  it("may take the work folder away, as `git clean` does", async () => {
    const { dir, memory } = memoryWith(folder);
    await memory.append("/a", "one");
    rmSync(join(dir, ".langgraph-mongo-memory"), { recursive: true });
    await memory.append("/a", "two");
    expect(await memory.read("/a")).toBe("one\ntwo");
  });

  it("may turn a file into a link", async () => {
    const { dir, memory } = memoryWith(folder, { a: "one", b: "two" });
    await memory.append("/a", "x");
    unlinkSync(join(dir, "a"));
    symlinkSync("b", join(dir, "a"));
    await refuses(memory.append("/a", "y"), "EINVAL");
    expect(await memory.read("/b")).toBe("two");
  });
});

describe("times", () => {
  it("are the file's: updatedAt its change, createdAt never later", async () => {
    const dir = folderWith(folder, { old: "x" });
    utimesSync(join(dir, "old"), new Date("2001-02-03T04:05:06Z"), new Date("2001-02-03T04:05:06Z"));
    const memory = openDirectoryMemory({ dir });
    const time = new Date("2001-02-03T04:05:06Z");
    expect(await memory.stat("/old")).toEqual({ kind: "file", sizeBytes: 1, createdAt: time, updatedAt: time });
    const before = Date.now() - 1000;
    const { createdAt, updatedAt } = await memory.append("/old", "y").then(async () => memory.write("/old", "z"));
    expect(createdAt.getTime()).toBeLessThanOrEqual(updatedAt.getTime());
    expect(createdAt.getTime()).toBeGreaterThan(before);
  });
});

const otherId = "76543210-89ab-cdef-0123-456789abcdef";

describe("a lock that was not refreshed for long", () => {
  it.each([
    ["of a process that has ended", crashedId],
    ["that was cut short by a crash", ""],
    ["that is none of ours", "x".repeat(5000)],
  ])("%s is taken over", async (_, text) => {
    const dir = folderWith(folder);
    leaveLock(dir, text, 60_000);
    await appendSoon(dir);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("is taken over where its time is in the future, as a clock that was wrong leaves it", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, -60_000);
    await appendSoon(dir);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("is waited for where the clock of its machine may be ahead", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, -3000);
    await refuses(appendSoon(dir), "EIO", heldByOthers);
  });

  it("is taken over where the process that was taking it over is gone, too", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, 60_000);
    leaveLock(dir, otherId, 60_000, `taken-${crashedId}`);
    await appendSoon(dir);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("is left to the process that is taking it over", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, 60_000);
    leaveLock(dir, otherId, 0, `taken-${crashedId}`);
    await refuses(appendSoon(dir), "EIO", heldByOthers);
    expect(readFileSync(join(dir, workFolder, "lock"), "utf8")).toContain(crashedId);
  });
});

describe("what a crash leaves behind", () => {
  it("is not seen, and the next change removes it, with the lock", async () => {
    const dir = folderWith(folder, {
      good: "text",
      [`${workFolder}/new-${crashedId}`]: "half a fi",
      [`${workFolder}/old-${crashedId}/sub/file`]: "deleted",
      [`${workFolder}/note`]: "not ours",
    });
    leaveLock(dir, crashedId, 60_000);
    const memory = openDirectoryMemory({ dir });
    expect(await memory.list()).toEqual([{ name: "good", kind: "file" }]);
    await memory.append("/good", "more");
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/good"]);
    expect(readdirSync(join(dir, workFolder)).toSorted()).toEqual([".gitignore", "note"]);
  });

  it("later, of another process, is removed when its lock is taken over", async () => {
    const { dir, memory } = memoryWith(folder);
    await memory.append("/good", "text");
    writeFileSync(join(dir, workFolder, `new-${crashedId}`), "half a fi");
    leaveLock(dir, crashedId, 60_000);
    await memory.append("/good", "more");
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });
});

describe("the lock", () => {
  it("of a living process is waited for, and the change is EIO in the end", async () => {
    const dir = folderWith(folder, { good: "text" });
    leaveLock(dir, crashedId, -4000);
    const memory = openImpatiently(dir);
    for (const call of [() => memory.append("/good", "x"), () => memory.snapshot(), () => memory.delete("/good")]) {
      await refuses(call(), "EIO", heldByOthers);
    }
    expect(await memory.read("/good")).toBe("text");
    expect(await memory.list()).toEqual([{ name: "good", kind: "file" }]);
  });

  it("is gone after a change, whatever became of the change", async () => {
    const { dir, memory } = memoryWith(folder, { "a/b": "text" });
    await memory.append("/a/b", "x");
    await refuses(memory.append("/a", "x"), "EISDIR");
    const refusing = (): never => {
      throw new RangeError("no");
    };
    await expect(memory.edit("/a/b", refusing)).rejects.toThrow(RangeError);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("lost while the process stood still is taken again, and the change made anew on what is there then", async () => {
    const dir = folderWith(folder, { good: "text" });
    const seen: string[] = [];
    const memory = openDirectoryMemory({ dir });
    const now = Date.now;
    const change = (text: string): string => {
      seen.push(text);
      if (seen.length > 1) return `${text}!`;
      writeFileSync(join(dir, "good"), "changed by whoever had the lock meanwhile");
      Date.now = () => now() + 10_000;
      return "lost";
    };
    try {
      await memory.edit("/good", change);
    } finally {
      Date.now = now;
    }
    expect(seen).toEqual(["text", "changed by whoever had the lock meanwhile"]);
    expect(readFileSync(join(dir, "good"), "utf8")).toBe("changed by whoever had the lock meanwhile!");
  });
});

it("git sees the notes and nothing of ours", async () => {
  const dir = folderWith(folder);
  execFileSync("git", ["init", "--quiet", dir]);
  await openDirectoryMemory({ dir }).write("/notes/today", "x");
  const status = execFileSync("git", ["-C", dir, "status", "--porcelain", "--untracked-files=all"], {
    encoding: "utf8",
  });
  expect(status).toBe("?? notes/today\n");
  expect(existsSync(join(dir, workFolder))).toBe(true);
});

it("a note may be named as others name their temporary files", async () => {
  const { memory } = memoryWith(folder, {
    "note.1234567": "1",
    "note.tmp": "2",
    "note~": "3",
    ".note.swp": "4",
    [`new-${crashedId}`]: "5",
  });
  await memory.append("/note~", "x");
  expect((await memory.list()).map(({ name }) => name)).toEqual([
    ".note.swp",
    `new-${crashedId}`,
    "note.1234567",
    "note.tmp",
    "note~",
  ]);
});

const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: whatever, open '/home/ann/notes/secret'`), { code });

describe("what the file system refuses", () => {
  it.each([
    ["EACCES", "EIO", "EIO: permission denied"],
    ["EPERM", "EIO", "EIO: permission denied"],
    ["EROFS", "EIO", "EIO: the file system is read-only"],
    ["EMFILE", "EIO", "EIO: too many open files"],
    ["ENOSPC", "ENOSPC", "ENOSPC: the disk is full; nothing was changed"],
    ["EDQUOT", "ENOSPC", "ENOSPC: the disk is full; nothing was changed"],
    ["ENAMETOOLONG", "EINVAL", "invalid path: too long for the file system"],
    ["ELOOP", "EINVAL", "invalid path: it leads through a link, which a memory does not follow"],
    ["EXDEV", "EIO", "EIO: a folder of the memory is on another file system"],
    ["EBUSY", "EIO", "EIO: the file system failed (EBUSY)"],
    ["EIO", "EIO", "EIO: the file system failed (EIO)"],
  ])("by %s is %s, without the host's path, which the cause has", (code, expected, message) => {
    const cause = failure(code);
    const error = fileSystemError(cause);
    expect([error.code, error.message, error.cause]).toEqual([expected, message, cause]);
  });

  it("is a MemoryError even without a code, and a MemoryError stays what it is", () => {
    expect(fileSystemError(new Error("odd")).code).toBe("EIO");
    expect(fileSystemError(null).code).toBe("EIO");
    const own = fileNotFound();
    expect(fileSystemError(own)).toBe(own);
  });
});

describe("openDirectoryMemory", () => {
  it.each([
    [undefined, "expected"],
    [{}, "dir"],
    [{ dir: "" }, "dir"],
    [{ dir: 5 }, "dir"],
    [{ dir: "/" }, "dir: must name a folder, not the root of a file system"],
    [{ dir: "/.." }, "dir: must name a folder"],
    [{ dir: "notes", path: "posix" }, "path"],
    [{ dir: "notes", paths: "windows" }, "paths"],
    [{ dir: "notes", fsync: false }, "fsync"],
    [{ dir: "notes", maxFileBytes: 0 }, "maxFileBytes"],
  ])("refuses the options %j as a TypeError that says what is wrong", (options, field) => {
    const open = (): unknown => openDirectoryMemory(options as never);
    expect(open).toThrow(TypeError);
    expect(open).toThrow(field);
  });

  it("names its memory by the folder, and no path of the host shows", () => {
    const memory = openDirectoryMemory({ dir: "/home/ann/secret/../notes/" });
    expect(memory.address).toEqual({ nodeId: "notes", scope: "global" });
    expect(inspect(memory, { depth: 9 })).not.toContain("ann");
    expect(MemoryError.isInstance(memory)).toBe(false);
  });
});
