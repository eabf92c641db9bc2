import { expect, it, jest } from "@jest/globals";
import * as real from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { refuses } from "../../../helpers/memory-case.js";

/** As macOS and Windows find a file: by any case and normal form of its name. */
async function spelled(path: string): Promise<string> {
  if (path === dirname(path)) return path;
  const parent = await spelled(dirname(path));
  const fold = (name: string): string => name.normalize("NFD").toLowerCase();
  const names = await real.readdir(parent).catch(() => []);
  return join(parent, names.find((name) => fold(name) === fold(basename(path))) ?? basename(path));
}

type OnPath = (path: string, ...rest: unknown[]) => Promise<unknown>;
const folding =
  (call: unknown): OnPath =>
  async (path, ...rest) =>
    (call as OnPath)(await spelled(path), ...rest);

const { lstat, open, readdir, readFile, unlink } = real;
const onPaths = Object.fromEntries(
  Object.entries({ lstat, open, readdir, readFile, unlink }).map(([name, call]) => [name, folding(call)]),
);
jest.unstable_mockModule("node:fs/promises", () => ({
  ...real,
  ...onPaths,
  rename: async (from: string, to: string) =>
    real.rename(await spelled(from), join(await spelled(dirname(to)), basename(to))),
}));

const { folderWith, memoryWith, testFolder } = await import("../../../helpers/test-folder.js");
const folder = testFolder();

it("finds files by other spellings, or these tests would prove nothing", async () => {
  const dir = folderWith(folder, { "sub/é": "text" });
  const { readFile: readFolding } = await import("node:fs/promises");
  expect(await readFolding(join(dir, "SUB", "E\u0301"), "utf8")).toBe("text");
});

it.each(["/A", "/SUB/file", "/sub/FILE", "/É"])(
  "%s is missing where the name has another spelling, and cannot be made",
  async (path) => {
    const contents = { a: "1", "sub/file": "2", é: "3" };
    const { memory } = memoryWith(folder, contents);
    await refuses(memory.read(path), "ENOENT");
    await refuses(memory.list(path), "ENOENT");
    await refuses(memory.update(path, "1", "x"), "ENOENT");
    await refuses(memory.write(path, "x"), "EINVAL");
    await refuses(memory.append(`${path}/below`, "x"), "EINVAL");
    expect(await memory.stat(path)).toBeNull();
    expect(await memory.delete(path)).toEqual({ files: 0, dirs: 0 });
    const { files } = await memory.snapshot();
    expect(Object.fromEntries(files.map((file) => [file.path.slice(1), file.content]))).toEqual(contents);
  },
);

it("a file made by a hand in another normal form is read by its own spelling", async () => {
  const { memory } = memoryWith(folder, { "e\u0301": "text" });
  expect(await memory.read("/e\u0301")).toBe("text");
  await refuses(memory.read("/é"), "ENOENT");
});

it("a rename may change the case of a name", async () => {
  const { memory } = memoryWith(folder, { "notes/file": "text" });
  await memory.rename("/notes", "/Notes");
  expect(await memory.list()).toEqual([{ name: "Notes", kind: "dir" }]);
  await refuses(memory.read("/notes/file"), "ENOENT");
  expect(await memory.read("/Notes/file")).toBe("text");
});
