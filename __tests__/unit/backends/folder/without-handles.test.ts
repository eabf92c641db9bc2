import { beforeEach, expect, it, jest } from "@jest/globals";
import { readFileSync, renameSync, symlinkSync } from "node:fs";
import * as real from "node:fs/promises";
import { join } from "node:path";
import { refuses } from "../../../helpers/memory-case.js";

/** As on macOS: no `/proc`, and file systems that may fold names. */
Object.defineProperty(process, "platform", { value: "darwin" });

/** What happens right before and after a file is opened. */
let meanwhile = { before: (): void => undefined, after: (): void => undefined };
jest.unstable_mockModule("node:fs/promises", () => ({
  ...real,
  open: async (...args: Parameters<typeof real.open>) => {
    meanwhile.before();
    const handle = await real.open(...args);
    meanwhile.after();
    return handle;
  },
}));

const { openDirectoryMemory } = await import("../../../../src/backends/directory/index.js");
const { allRefuse, folderWith, memoryWith, testFolder } = await import("../../../helpers/test-folder.js");
const folder = testFolder();

beforeEach(() => {
  meanwhile = { before: () => undefined, after: () => undefined };
});

it("a memory does without handles of directories what it does with them", async () => {
  const { memory } = memoryWith(folder, { "a/b/c": "1" });
  await memory.append("/a/b/c", "2");
  await memory.write("/new/deep/file", "x");
  await memory.rename("/a/b", "/moved/b");
  expect(await memory.delete("/new")).toEqual({ files: 1, dirs: 2 });
  expect((await memory.snapshot()).files.map(({ path, content }) => [path, content])).toEqual([["/moved/b/c", "1\n2"]]);
  await refuses(memory.list("/moved/b/c"), "ENOTDIR");
  await refuses(memory.read("/a/b/c"), "ENOENT");
});

it.each(["/link/file", "/link/new", "/link"])("%s leads through a link, and is refused", async (path) => {
  const outside = folderWith(folder, { file: "secret" });
  const dir = folderWith(folder, { real: "text" });
  symlinkSync(outside, join(dir, "link"));
  const memory = openDirectoryMemory({ dir });
  await allRefuse(memory, path);
  expect((await memory.snapshot()).files.map((file) => file.path)).toEqual(["/real"]);
});

it("a file that was opened through a link is not read, though the link is gone again", async () => {
  const outside = folderWith(folder, { file: "secret" });
  const { dir, memory } = memoryWith(folder, { "sub/file": "text" });
  const [sub, away, link] = ["sub", "away", "link"].map((name) => join(dir, name)) as [string, string, string];
  symlinkSync(outside, link);
  meanwhile = {
    before: () => (renameSync(sub, away), renameSync(link, sub)),
    after: () => (renameSync(sub, link), renameSync(away, sub)),
  };
  await refuses(memory.read("/sub/file"), "EINVAL");
  expect((await memory.snapshot()).files).toEqual([]);
});

it("a directory that is a link by the time of a change is told, and nothing is changed", async () => {
  const outside = folderWith(folder, { file: "secret" });
  const { dir, memory } = memoryWith(folder, { "sub/file": "text" });
  await memory.read("/sub/file");
  await expect(
    memory.edit("/sub/file", () => {
      renameSync(join(dir, "sub"), join(dir, "away"));
      symlinkSync(outside, join(dir, "sub"));
      return "changed";
    }),
  ).rejects.toMatchObject({ code: "EINVAL" });
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("secret");
});
