import { describe, expect, it } from "@jest/globals";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { refuses } from "../../../helpers/memory-case.js";
import { folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();

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
