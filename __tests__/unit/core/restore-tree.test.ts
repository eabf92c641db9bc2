import { describe, expect, it } from "@jest/globals";
import { MemoryTree } from "../../../src/custom-backend/index.js";
import type { MemorySnapshot } from "../../../src/index.js";
import { getRestorationScope, restoreTree, type TreeRestoration } from "../../../src/core/tree/restore-tree.js";
import fc from "../../helpers/fast-check.js";
import { createFiles } from "../../helpers/snapshot-files.js";

const createdAt = new Date(1);
const now = new Date(2);

function createSnapshot(texts: Record<string, string>, directories: string[] = []): MemorySnapshot {
  return { files: createFiles(texts, createdAt), directories, revision: 7 };
}

function createRestoration(tree: MemorySnapshot, changes: Partial<TreeRestoration>): TreeRestoration {
  return { files: new Map(), renamed: new Map(), addedDirectories: [], removedDirectories: [], tree, ...changes };
}

/** What a tree is after it was restored; null if it is not as it was planned for. */
function restore(present: MemorySnapshot, restoration: TreeRestoration): MemoryTree | null {
  const tree = new MemoryTree(present);
  const edits = restoreTree(tree, restoration, now);
  if (edits !== null) tree.commit(edits);
  return edits === null ? null : tree;
}

function getTexts(tree: MemoryTree | null): Record<string, string> {
  return Object.fromEntries(Array.from(tree?.files ?? [], ([path, { content }]) => [path, content]));
}

describe("a restored tree", () => {
  it("has the planned texts and no other ones, for any two states", () => {
    const someTexts = fc.dictionary(fc.constantFrom("/a", "/b", "/d/a", "/d/b", "/e/f/a"), fc.string());
    const property = fc.property(someTexts, someTexts, (present, former) => {
      const snapshot = createSnapshot(present);
      const files = new Map(Object.keys({ ...present, ...former }).map((path) => [path, former[path] ?? null]));
      expect(getTexts(restore(snapshot, createRestoration(snapshot, { files })))).toEqual(former);
    });
    fc.assert(property);
  });

  it("has the planned directories", () => {
    const snapshot = createSnapshot({ "/kept/a": "a", "/gone/b": "b" });
    const restoration = createRestoration(snapshot, {
      files: new Map([["/gone/b", null]]),
      addedDirectories: ["/new"],
      removedDirectories: ["/gone"],
    });
    expect([...(restore(snapshot, restoration)?.directories ?? [])].toSorted()).toEqual(["/kept", "/new"]);
  });

  it("keeps when a file was created, also where it is moved back, and says when it was written", () => {
    const snapshot = createSnapshot({ "/changed": "new", "/moved": "same" });
    const restoration = createRestoration(snapshot, {
      files: new Map([
        ["/changed", "old"],
        ["/moved", null],
        ["/former", "same"],
        ["/deleted", "é"],
      ]),
      renamed: new Map([["/former", "/moved"]]),
    });
    const edits = restoreTree(new MemoryTree(snapshot), restoration, now);
    expect(edits?.moved).toEqual([{ path: "/moved", to: "/former" }]);
    expect(edits?.removed).toEqual([]);
    const tree = restore(snapshot, restoration);
    expect(getTexts(tree)).toEqual({ "/changed": "old", "/former": "same", "/deleted": "é" });
    const times = ["/changed", "/former", "/deleted"].map((path) => tree?.files.get(path)?.createdAt);
    expect(times).toEqual([createdAt, createdAt, now]);
    expect(tree?.files.get("/former")?.updatedAt).toEqual(now);
    expect(tree?.files.get("/deleted")?.sizeBytes).toBe(2);
  });
});

describe("a restoration is refused", () => {
  const planned = createSnapshot({ "/d/a": "a", "/b": "b" });
  const restoration = createRestoration(planned, {
    files: new Map([
      ["/d/a", null],
      ["/b", "former"],
    ]),
    removedDirectories: ["/d"],
  });

  it.each<[string, MemorySnapshot]>([
    ["another text", createSnapshot({ "/d/a": "a", "/b": "changed" })],
    ["a file that is gone", createSnapshot({ "/d/a": "a" })],
    ["a new file in a directory that is to be removed", createSnapshot({ "/d/a": "a", "/b": "b", "/d/new": "" })],
  ])("with %s", (_difference, present) => {
    expect(restore(present, restoration)).toBeNull();
  });

  it("but not because of what it does not change", () => {
    const present = createSnapshot({ "/d/a": "a", "/b": "b", "/other": "changed" });
    expect(getTexts(restore(present, restoration))).toEqual({ "/b": "former", "/other": "changed" });
  });

  it("by what its scope names, and no more has to be loaded", () => {
    expect(getRestorationScope(restoration)).toEqual({ paths: ["/d/a", "/b", "/d"], below: ["/d"] });
  });
});
