import { describe, expect, it } from "@jest/globals";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  statSync,
  linkSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { refuses } from "../../../helpers/memory-case.js";
import { asOrdinaryUser, isRoot } from "../../../helpers/ordinary-user.js";
import { folderWith, testFolder, allRefuse, memoryWith } from "../../../helpers/test-folder.js";
import type { Memory } from "../../../../src/index.js";

const folder = testFolder();
const work = ".langgraph-mongo-memory";
const getMode = (...path: string[]): number => statSync(join(...path)).mode & 0o7777;

describe("a changed file", () => {
  it.each(["600", "640", "755", "666", "1777"])("keeps its mode %s", async (octal) => {
    const mode = Number.parseInt(octal, 8);
    const dir = folderWith(folder, { file: "text" });
    chmodSync(join(dir, "file"), mode);
    const memory = openDirectoryMemory({ dir });
    await memory.append("/file", "x");
    await memory.write("/file", "y");
    await memory.rename("/file", "/moved");
    await memory.edit("/moved", (text) => text);
    expect(getMode(dir, "moved")).toBe(mode);
  });

  it.each(["4755", "2775", "6711"])("with the mode %s runs as nobody else any longer", async (octal) => {
    const mode = Number.parseInt(octal, 8);
    const dir = folderWith(folder, { file: "text" });
    chmodSync(join(dir, "file"), mode);
    await openDirectoryMemory({ dir }).append("/file", "x");
    expect(getMode(dir, "file")).toBe(mode & 0o777);
  });

  it("that nobody may write is EIO and stays, and can be read, moved and deleted", async () => {
    const dir = folderWith(folder, { file: "text" });
    chmodSync(join(dir, "file"), 0o444);
    const memory = openDirectoryMemory({ dir });
    for (const call of [
      () => memory.append("/file", "x"),
      () => memory.write("/file", "x"),
      () => memory.update("/file", "t", "x"),
    ]) {
      await refuses(call(), "EIO", "EIO: the file is read-only");
    }
    expect(await memory.read("/file")).toBe("text");
    await memory.rename("/file", "/moved");
    expect(await memory.delete("/moved")).toEqual({ files: 1, dirs: 0 });
  });

  (isRoot ? it : it.skip)("of another owner keeps its owner, where that can be given", async () => {
    const dir = folderWith(folder, { file: "text" });
    chownSync(join(dir, "file"), 1234, 5678);
    chmodSync(join(dir, "file"), 0o640);
    await openDirectoryMemory({ dir }).append("/file", "x");
    const { uid, gid } = statSync(join(dir, "file"));
    expect([uid, gid, getMode(dir, "file")]).toEqual([1234, 5678, 0o640]);
  });
});

describe("new files and directories", () => {
  /** The modes of what a memory makes under a umask: folder, directory, file, and those for the lock. */
  async function modesUnder(umask: number, options: { rights?: "owner" | "umask" } = {}): Promise<number[]> {
    const dir = join(folderWith(folder), "new");
    const before = process.umask(umask);
    try {
      await openDirectoryMemory({ dir, ...options }).write("/sub/deep/file", "x");
    } finally {
      process.umask(before);
    }
    return ["", "sub", "sub/deep", "sub/deep/file", work, `${work}/.gitignore`].map((path) => getMode(dir, path));
  }

  it.each([0, 0o022])("are their owner's only under the umask %o", async (umask) => {
    expect(await modesUnder(umask)).toEqual([0o700, 0o700, 0o700, 0o600, 0o700, 0o600]);
  });

  it("have the modes that the process gives where that is asked for", async () => {
    expect(await modesUnder(0o002, { rights: "umask" })).toEqual([0o775, 0o775, 0o775, 0o664, 0o775, 0o664]);
  });
});

describe("what may not be read", () => {
  it("is EIO by itself, and breaks nothing else", async () => {
    const dir = folderWith(folder, { good: "text", secret: "x", "closed/inside": "y", "open/file": "z" });
    await openDirectoryMemory({ dir }).append("/good", "more");
    await asOrdinaryUser(dir, async () => {
      chmodSync(join(dir, "secret"), 0);
      chmodSync(join(dir, "closed"), 0);
      const memory = openDirectoryMemory({ dir });
      await refuses(memory.read("/secret"), "EIO", "EIO: permission denied");
      await refuses(memory.list("/closed"), "EIO", "EIO: permission denied");
      await refuses(memory.read("/closed/inside"), "EIO", "EIO: permission denied");
      await refuses(memory.delete("/closed"), "EIO", "EIO: permission denied");
      expect((await memory.list()).map(({ name }) => name)).toEqual(["closed", "good", "open", "secret"]);
      const { files, directories } = await memory.snapshot();
      expect([files.map(({ path }) => path), directories]).toEqual([
        ["/good", "/open/file"],
        ["/closed", "/open"],
      ]);
      expect((await memory.outline()).files.map(({ path }) => path)).toEqual(["/good", "/open/file", "/secret"]);
      await memory.append("/open/file", "works");
      chmodSync(join(dir, "closed"), 0o755);
    });
    expect(readFileSync(join(dir, "open/file"), "utf8")).toBe("z\nworks");
  });

  it("a folder that may not be written is read, snapshot included, and changes are EIO", async () => {
    const dir = folderWith(folder, { good: "text" });
    await openDirectoryMemory({ dir }).append("/sub/file", "x");
    await asOrdinaryUser(dir, async () => {
      for (const path of [".langgraph-mongo-memory", "sub", "."]) chmodSync(join(dir, path), 0o555);
      const memory = openDirectoryMemory({ dir });
      expect(await memory.read("/good")).toBe("text");
      expect(await memory.read("/sub/file")).toBe("x");
      expect((await memory.snapshot()).files).toHaveLength(2);
      expect(await memory.stat("/sub")).toMatchObject({ sizeBytes: 1 });
      for (const call of [
        () => memory.append("/good", "x"),
        () => memory.write("/new", "x"),
        () => memory.delete("/sub"),
        () => memory.rename("/good", "/new"),
      ]) {
        await refuses(call(), "EIO", "EIO: permission denied");
      }
      for (const path of [".", "sub", ".langgraph-mongo-memory"]) chmodSync(join(dir, path), 0o755);
    });
    expect(readFileSync(join(dir, "good"), "utf8")).toBe("text");
  });
});

it("a look at a folder leaves no trace in it, and makes none where it is missing", async () => {
  const dir = folderWith(folder, { "sub/file": "x" });
  const missing = join(dir, "missing");
  for (const memory of [openDirectoryMemory({ dir }), openDirectoryMemory({ dir: missing })]) {
    await memory.list();
    await memory.snapshot();
    await memory.outline({ maxContentBytes: 100 });
    await memory.stat("/");
    await refuses(memory.read("/none"), "ENOENT");
  }
  for (const refused of [openDirectoryMemory({ dir: missing })]) {
    await refuses(refused.update("/a", "b", "c"), "ENOENT");
    await refuses(refused.rename("/a", "/b"), "ENOENT");
    await refuses(
      refused.edit("/a", (text) => text),
      "ENOENT",
    );
    await refuses(refused.write("/", "x"), "EISDIR");
    expect(await refused.delete("/")).toEqual({ files: 0, dirs: 0 });
  }
  expect((await openDirectoryMemory({ dir }).list()).map(({ name }) => name)).toEqual(["sub"]);
  mkdirSync(missing);
  expect(await openDirectoryMemory({ dir: missing }).list()).toEqual([]);
});

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

/* Not on Windows, which says of a name below a file that it is missing, as it says of any missing name. */

describe("the folder of a memory", () => {
  it("is refused where it is a file", async () => {
    const dir = join(folderWith(folder, { file: "text" }), "file");
    const memory = openDirectoryMemory({ dir });
    for (const call of [
      () => memory.list(),
      () => memory.read("/a"),
      () => memory.append("/a", "x"),
      () => memory.snapshot(),
    ]) {
      await refuses(call(), "EIO", "EIO: the memory's folder is not a folder");
    }
  });

  it("may put a file in the place of the folder, of which nothing is known then", async () => {
    const { dir, memory } = memoryWith(folder, { note: "text" });
    await memory.append("/note", "more");
    rmSync(dir, { recursive: true });
    writeFileSync(dir, "no folder");
    const calls = [
      () => memory.read("/note"),
      () => memory.list(),
      () => memory.snapshot(),
      () => memory.stat("/note"),
      () => memory.write("/note", "x"),
    ];
    for (const call of calls) await refuses(call(), "EIO", "EIO: the memory's folder is not a folder");
    expect(readFileSync(dir, "utf8")).toBe("no folder");
  });
});
