import { readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { RecordBench } from "../../helpers/record-bench.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();

function start(): { dir: string; bench: RecordBench } {
  const dir = join(folder, freshAddress().nodeId);
  return { dir, bench: new RecordBench(openDirectoryMemory({ dir })) };
}

describe("records in a folder", () => {
  it("are files by their paths, whose contents are what was given", async () => {
    const { dir, bench } = start();
    expect(await bench.call("add_memory", { path: "project/todo", content: "- é\r\n" })).toMatchObject({
      content_size: 6,
    });
    expect(await readFile(join(dir, "project/todo"), "utf8")).toBe("- é\r\n");
    expect(await bench.call("drop_memory", { path: "project" })).toMatchObject({ error_code: "MEMORY_NOT_FOUND" });
    expect(await bench.call("drop_memory", { path: "project/todo" })).toMatchObject({ status: "ok" });
    await expect(stat(join(dir, "project/todo"))).rejects.toThrow("ENOENT");
  });

  it.each([["con"], ["a/NUL"], ["Project/plan"]])(
    "cannot be %p, which some file system takes for something else",
    async (path) => {
      const { bench } = start();
      await bench.call("add_memory", { path: "project/todo", content: "x" });
      expect(await bench.call("add_memory", { path, content: "x" })).toEqual({
        status: "error",
        error_code: "MEMORY_PATH_INVALID",
        message: expect.stringMatching(`^Path "${path}" is not allowed \\(invalid path segment: `),
      });
      expect(Object.keys(await bench.files())).toEqual(["/project/todo"]);
    },
  );

  it("are never what lies behind a link", async () => {
    const { dir, bench } = start();
    await bench.call("add_memory", { path: "kept", content: "x" });
    await symlink(folder, join(dir, "out"));
    for (const [name, args] of [
      ["add_memory", { content: "x" }],
      ["replace_memory", { content: "x" }],
      ["drop_memory", {}],
    ] as const) {
      expect(await bench.call(name, { ...args, path: "out/x" })).toMatchObject({ error_code: "MEMORY_PATH_INVALID" });
    }
  });
});
