import { deepEqual } from "node:assert/strict";
import { describe, expect, it } from "@jest/globals";
import { applyChange, type Change, MemoryTree } from "../../../src/custom-backend/index.js";
import { digestTree } from "../../../src/core/tree/digest.js";
import fc from "../../helpers/fast-check.js";
import { ModelMemory } from "../../helpers/model-memory.js";
import { outcomeOf, stepsOf } from "../../helpers/model-property.js";
import { repetitions } from "../../helpers/repetitions.js";
import { TrivialMemory } from "../../helpers/trivial-memory.js";
import { createFiles } from "../../helpers/snapshot-files.js";

const createdAt = new Date(1);
const now = new Date(2);
const settings = { now, maxFileBytes: 10 };

function createTree(texts: Record<string, string>): MemoryTree {
  return new MemoryTree({ files: createFiles(texts, createdAt), directories: [], revision: null });
}

describe("a change applied to a tree", () => {
  it("does what it does to two collections in JavaScript, for random steps", async () => {
    const steps = fc.array(stepsOf("posix"), { minLength: 20, maxLength: 20 });
    const property = fc.asyncProperty(steps, async (commands) => {
      const model = new ModelMemory();
      const trivial = new TrivialMemory();
      for (const { label, model: run } of commands)
        deepEqual(await outcomeOf(() => run(model)), await outcomeOf(() => run(trivial)), label);
      deepEqual(model.files, trivial.files);
      deepEqual(new Set(model.directories), trivial.directories);
    });
    await fc.assert(property, { numRuns: repetitions({ usual: 200, long: 5000 }), endOnFailure: true });
  });

  it("leaves the tree as it is until its edits are committed", () => {
    const tree = createTree({ "/a": "x" });
    const { edits } = applyChange(tree, { type: "delete", path: "/a", ifDirectory: "delete" }, settings);
    expect(tree.kind("/a")).toBe("file");
    tree.commit(edits);
    expect(tree.kind("/a")).toBeNull();
  });

  it("keeps the creation time of a file, also where it moves", () => {
    const tree = createTree({ "/d/a": "x" });
    tree.commit(applyChange(tree, { type: "append", path: "/d/a", content: "y", create: false }, settings).edits);
    expect(tree.file("/d/a")).toMatchObject({ content: "x\ny", createdAt, updatedAt: now });
    tree.commit(applyChange(tree, { type: "rename", path: "/d", to: "/e" }, settings).edits);
    expect(tree.file("/e/a")).toMatchObject({ path: "/e/a", createdAt, updatedAt: now });
  });

  it.each<[string, Change]>([
    ["append", { type: "append", path: "/a", content: "0123456789", create: false }],
    ["write", { type: "write", path: "/b", content: "01234567890", ifExists: "replace", ifMissing: "create" }],
    ["update", { type: "update", path: "/a", oldContent: "x", content: "01234567890" }],
    ["edit", { type: "edit", path: "/a", edit: () => "01234567890" }],
  ])("is refused if %s makes the file too large", (_name, change) => {
    expect(() => applyChange(createTree({ "/a": "x" }), change, settings)).toThrow(/^EFBIG/);
  });

  it("asks about every path below a deleted or moved directory, old and new, and not about the directory", () => {
    const tree = createTree({ "/d/a": "x", "/d/s/b": "y" });
    const check = (change: Change): string[] => {
      const checked: string[] = [];
      applyChange(tree, change, settings, { checkPath: (path) => void checked.push(path) });
      return checked;
    };
    expect(check({ type: "delete", path: "/d", ifDirectory: "delete" })).toEqual(["/d/a", "/d/s", "/d/s/b"]);
    expect(check({ type: "rename", path: "/d", to: "/e" })).toEqual(
      ["/d/a", "/d/s", "/d/s/b"].flatMap((from) => [from, from.replace("/d", "/e")]),
    );
  });

  it("is refused if what it is made to has another digest", () => {
    const change: Change = { type: "delete", path: "/d", ifDirectory: "delete" };
    const expectedDigest = digestTree(createTree({ "/d/a": "x" }), change);
    expect(() => applyChange(createTree({ "/d/a": "x" }), change, settings, { expectedDigest })).not.toThrow();
    expect(() => applyChange(createTree({ "/d/a": "y" }), change, settings, { expectedDigest })).toThrow(/^ECONFLICT/);
  });

  it("names the destination of a rename that is taken, or that lies below a file", () => {
    const rename = (to: string) => () =>
      applyChange(createTree({ "/a": "x", "/b": "y" }), { type: "rename", path: "/a", to }, settings);
    expect(rename("/b")).toThrow(expect.objectContaining({ code: "EEXIST", path: "/b" }));
    expect(rename("/b/c")).toThrow(expect.objectContaining({ code: "ENOTDIR", path: "/b/c" }));
  });
});
