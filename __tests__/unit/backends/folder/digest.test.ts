import { describe, expect, it } from "@jest/globals";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DirectoryBackend } from "../../../../src/backends/directory/directory-backend.js";
import { Call } from "../../../../src/core/runtime/call.js";
import { type Change, MemoryTree } from "../../../../src/custom-backend/index.js";
import { digestTree } from "../../../../src/core/tree/digest.js";
import { folderWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();
const notText = Buffer.from([0xff]);

/** The change as a person was shown it: with the digest of the memory as it is now. */
async function prepare(contents: Record<string, string | Uint8Array>, change: Change) {
  const dir = folderWith(folder, contents);
  const backend = new DirectoryBackend({
    dir,
    maxFileBytes: 1000,
    lockTimeoutMs: 1000,
    rights: "owner",
  });
  const call = new Call({ actor: null, timeoutMs: 10_000 });
  const expectedDigest = digestTree(new MemoryTree(await backend.snapshot(call)), change);
  return { dir, make: () => backend.change(change, { expectedDigest }, call) };
}

const replace = { type: "write", path: "/a", content: "new", ifExists: "replace", ifMissing: "create" } as const;
const remove = { type: "delete", path: "/d", ifDirectory: "delete" } as const;
const rename = { type: "rename", path: "/d", to: "/e" } as const;

describe("a change of a folder with the digest of what it was planned for", () => {
  it.each([
    ["a text", replace, "a"],
    ["a deleted directory", remove, "d/f"],
    ["the root", { ...remove, path: "/" }, "a"],
    ["a moved directory", rename, "d/f"],
  ])("is refused if %s has changed", async (_, change, edited) => {
    const { dir, make } = await prepare({ a: "text", "d/f": "text" }, change);
    writeFileSync(join(dir, edited), "by hand");
    await expect(make()).rejects.toMatchObject({ code: "ECONFLICT" });
    expect(readFileSync(join(dir, edited), "utf8")).toBe("by hand");
    expect(existsSync(join(dir, "d/f"))).toBe(true);
  });

  it("is made if nothing has changed, files without text included", async () => {
    const contents = { a: "text", "d/f": "text", "d/bad": notText };
    const replaced = await prepare(contents, replace);
    await replaced.make();
    expect(readFileSync(join(replaced.dir, "a"), "utf8")).toBe("new");
    const removed = await prepare(contents, remove);
    await removed.make();
    expect(existsSync(join(removed.dir, "d"))).toBe(false);
    const moved = await prepare(contents, rename);
    await moved.make();
    expect(readFileSync(join(moved.dir, "e/bad"))).toEqual(notText);
  });

  it("never moves a file over one without text", async () => {
    const { dir, make } = await prepare({ a: "text", b: notText }, { type: "rename", path: "/a", to: "/b" });
    await expect(make()).rejects.toMatchObject({ code: "EEXIST", path: "/b" });
    expect(readFileSync(join(dir, "b"))).toEqual(notText);
  });
});
