import { describe, expect, it } from "@jest/globals";
import { readdirSync, writeFileSync } from "node:fs";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { anyCharacter } from "../../../helpers/any-character.js";
import fc, { assertProperty } from "../../../helpers/fast-check.js";
import { folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();

/* Only file systems that take a name as plain bytes can hold these names. Those of macOS and Windows cannot. */

describe("a name made by a hand", () => {
  it("that is illegal elsewhere, made by a hand, is read, changed and deleted", async () => {
    const { memory } = memoryWith(folder, { "CON.txt": "a", "a:b": "b", "dot.": "c" });
    expect((await memory.list()).map(({ name }) => name)).toEqual(["CON.txt", "a:b", "dot."]);
    await memory.append("/CON.txt", "more");
    expect(await memory.read("/CON.txt")).toBe("a\nmore");
    expect(await memory.delete("/a:b")).toEqual({ files: 1, dirs: 0 });
    await memory.rename("/dot.", "/dot");
    expect((await memory.list()).map(({ name }) => name)).toEqual(["CON.txt", "dot"]);
  });

  it("is another than the same in another case", async () => {
    const { memory } = memoryWith(folder, { a: "small", A: "large" });
    expect([await memory.read("/a"), await memory.read("/A")]).toEqual(["small", "large"]);
    await memory.append("/A", "x");
    expect([await memory.read("/a"), await memory.read("/A")]).toEqual(["small", "large\nx"]);
  });
});

describe("names that no path can hold", () => {
  it("are passed over, and what is beside them is read", async () => {
    const dir = folderWith(folder, {
      good: "x",
      "sub/good": "y",
      "line\nbreak": "1",
      "back\\slash": "2",
      "%2e%2e": "3",
      "．．": "4",
      "sub/\u0007": "5",
    });
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/bad`), Buffer.from([0xff, 0xfe])]), "6");
    const memory = openDirectoryMemory({ dir });
    expect((await memory.list()).map(({ name }) => name)).toEqual(["good", "sub"]);
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/good", "/sub/good"]);
    await memory.append("/good", "more");
    expect(await memory.delete("/")).toEqual({ files: 2, dirs: 1 });
    expect(readdirSync(dir)).toHaveLength(6);
  });

  it("what a listing shows can be read, whatever names lie there", async () => {
    const name = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.constantFrom("CON", "a.", "..x", "%2e", "\uFFFD", " ", "\uFEFF"),
    );
    const isName = (text: string): boolean =>
      text !== "" && text !== "." && text !== ".." && !/[/\0]/.test(text) && text.isWellFormed();
    await assertProperty(
      fc.asyncProperty(fc.uniqueArray(name.filter(isName), { maxLength: 8 }), async (names) => {
        const dir = folderWith(folder, Object.fromEntries(names.map((each) => [each, `text of ${each}`])));
        const memory = openDirectoryMemory({ dir });
        for (const entry of await memory.list())
          expect(await memory.read(`/${entry.name}`)).toBe(`text of ${entry.name}`);
      }),
      { usual: 50, long: 100 },
    );
  });
});
