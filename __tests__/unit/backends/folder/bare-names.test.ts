import { expect, it, jest } from "@jest/globals";
import { writeFileSync } from "node:fs";
import * as real from "node:fs/promises";
import { join } from "node:path";

/** As in Bun, which leaves `withFileTypes` out of account where names are asked for as bytes. */
jest.unstable_mockModule("node:fs/promises", () => ({
  ...real,
  readdir: async (path: string, options?: { encoding?: string }) =>
    options?.encoding === "buffer" ? real.readdir(path, { encoding: "buffer" }) : real.readdir(path),
}));

const { openDirectoryMemory } = await import("../../../../src/backends/directory/index.js");
const { folderWith, testFolder } = await import("../../../helpers/test-folder.js");
const folder = testFolder();

it("a memory lists, shows and deletes where a directory answers the bytes of names alone", async () => {
  const dir = folderWith(folder, { "a/b/c": "1", "a/d": "2" });
  writeFileSync(Buffer.concat([Buffer.from(join(dir, "a/")), Buffer.from([0xff])]), "no UTF-8");
  const memory = openDirectoryMemory({ dir });
  expect(await memory.list("/a")).toEqual([
    { name: "b", kind: "dir" },
    { name: "d", kind: "file" },
  ]);
  expect((await memory.snapshot()).files.map(({ path, content }) => [path, content])).toEqual([
    ["/a/b/c", "1"],
    ["/a/d", "2"],
  ]);
  expect(await memory.delete("/a")).toEqual({ files: 2, dirs: 2 });
  expect(await memory.list()).toEqual([]);
});
