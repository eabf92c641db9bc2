import { describe, expect, it } from "@jest/globals";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { refuses } from "../../../helpers/memory-case.js";
import { asOrdinaryUser, isRoot } from "../../../helpers/ordinary-user.js";
import { folderWith, testFolder } from "../../../helpers/test-folder.js";

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
