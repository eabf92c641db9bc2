import { describe, expect, it } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import type { Memory } from "../../../../src/index.js";
import { refuses } from "../../../helpers/memory-case.js";
import { allRefuse, folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();
const throughLink = "invalid path: it leads through a link, which a memory does not follow";

describe("a link in the folder", () => {
  it.each([
    ["to a file outside", "file", "/link"],
    ["to a folder outside", ".", "/link/file"],
    ["to a folder outside, by a new name", ".", "/link/new/deep"],
    ["to nothing", "missing", "/link"],
  ])("%s is refused in every command, and nothing outside changes", async (_, target, path) => {
    const outside = folderWith(folder, { file: "secret" });
    const dir = folderWith(folder, { real: "text" });
    symlinkSync(join(outside, target), join(dir, "link"));
    await allRefuse(openDirectoryMemory({ dir }), path, throughLink);
    expect(readdirSync(outside)).toEqual(["file"]);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("secret");
    expect(readFileSync(join(dir, "real"), "utf8")).toBe("text");
  });

  it("to a file of the memory itself is refused too", async () => {
    const dir = folderWith(folder, { real: "text" });
    symlinkSync("real", join(dir, "link"));
    await allRefuse(openDirectoryMemory({ dir }), "/link", throughLink);
  });

  it("is not listed, and a ring of links ends no listing", async () => {
    const outside = folderWith(folder, { file: "secret" });
    const dir = folderWith(folder, { "sub/real": "text" });
    symlinkSync(outside, join(dir, "out"));
    symlinkSync("..", join(dir, "sub", "ring"));
    symlinkSync(join(outside, "file"), join(dir, "sub", "link"));
    const memory = openDirectoryMemory({ dir });
    expect(await memory.list()).toEqual([{ name: "sub", kind: "dir" }]);
    expect(await memory.list("/sub")).toEqual([{ name: "real", kind: "file" }]);
    const { files, directories } = await memory.snapshot();
    expect([files.map(({ path }) => path), directories]).toEqual([["/sub/real"], ["/sub"]]);
    expect(await memory.stat("/")).toMatchObject({ sizeBytes: 4 });
  });

  it("goes with its directory, and what it leads to stays", async () => {
    const outside = folderWith(folder, { file: "secret" });
    const dir = folderWith(folder, { "sub/real": "text" });
    symlinkSync(outside, join(dir, "sub", "link"));
    expect(await openDirectoryMemory({ dir }).delete("/sub")).toEqual({ files: 1, dirs: 1 });
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  it("stays when the memory is emptied", async () => {
    const outside = folderWith(folder, { file: "secret" });
    const dir = folderWith(folder, { real: "text" });
    symlinkSync(outside, join(dir, "link"));
    expect(await openDirectoryMemory({ dir }).delete("/")).toEqual({ files: 1, dirs: 0 });
    expect(readdirSync(dir)).toContain("link");
    expect(readdirSync(outside)).toEqual(["file"]);
  });

  it("in the place of the work folder is refused, and nothing outside is cleaned up", async () => {
    const own = "new-01234567-89ab-cdef-0123-456789abcdef";
    const outside = folderWith(folder, { [own]: "not ours" });
    const dir = folderWith(folder, { real: "text" });
    symlinkSync(outside, join(dir, ".langgraph-mongo-memory"));
    await refuses(openDirectoryMemory({ dir }).append("/real", "x"), "EIO");
    expect(readdirSync(outside)).toEqual([own]);
  });
});

describe("the folder itself", () => {
  it("may be a link, and is the same memory by either name", async () => {
    const real = folderWith(folder);
    const link = `${real}-link`;
    symlinkSync(real, link);
    const [byLink, byName] = [openDirectoryMemory({ dir: link }), openDirectoryMemory({ dir: real })];
    const appendsTo = (memory: Memory): Promise<void>[] =>
      Array.from({ length: 10 }, (_, index) => memory.append("/log", String(index)));
    await Promise.all([...appendsTo(byLink), ...appendsTo(byName)]);
    expect((await byName.read("/log")).split("\n")).toHaveLength(20);
  });
});

it("a hard link is a file, and a change leaves its other names as they were", async () => {
  const dir = folderWith(folder, { one: "text" });
  linkSync(join(dir, "one"), join(dir, "two"));
  const memory = openDirectoryMemory({ dir });
  await memory.append("/one", "more");
  expect([await memory.read("/one"), await memory.read("/two")]).toEqual(["text\nmore", "text"]);
});

it("pipes and sockets are never opened, not listed, and refused by name", async () => {
  const dir = folderWith(folder, { real: "text", "sub/real": "text" });
  execFileSync("mkfifo", [join(dir, "pipe"), join(dir, "sub", "pipe")]);
  const server = createServer().listen(join(dir, "socket"));
  const memory = openDirectoryMemory({ dir });
  expect(await memory.list()).toEqual([
    { name: "real", kind: "file" },
    { name: "sub", kind: "dir" },
  ]);
  expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/real", "/sub/real"]);
  for (const path of ["/pipe", "/socket", "/pipe/below"]) {
    await allRefuse(memory, path, "invalid path: neither a file nor a directory");
  }
  expect(await memory.delete("/sub")).toEqual({ files: 1, dirs: 1 });
  await new Promise((resolve) => server.close(resolve));
});

it("a directory where a file was a moment ago is a directory, and the other way round", async () => {
  const { dir, memory } = memoryWith(folder, { one: "text" });
  await memory.delete("/one");
  mkdirSync(join(dir, "one"));
  await refuses(memory.read("/one"), "EISDIR");
  writeFileSync(join(dir, "one", "two"), "x");
  expect(await memory.read("/one/two")).toBe("x");
});
