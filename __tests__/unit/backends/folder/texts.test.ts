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
} from "node:fs";
import { join } from "node:path";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { refuses } from "../../../helpers/memory-case.js";
import { folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";

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
