import { describe, expect, it } from "@jest/globals";
import { applyChange, type Change, MemoryTree } from "../../../../src/custom-backend/index.js";
import { type MemorySnapshot, MemoryError } from "../../../../src/index.js";
import { getScope } from "../../../../src/core/tree/change.js";
import { noEdits, type TreeEdits } from "../../../../src/core/tree/memory-tree.js";
import { getParents } from "../../../../src/core/values/paths.js";
import { compareCodeUnits } from "../../../../src/core/values/text.js";
import { selectPages } from "../../../../src/mongodb/memories/reading/known-pages.js";
import { type NewPage, repartition } from "../../../../src/mongodb/memories/changing/repartition.js";
import fc from "../../../helpers/fast-check.js";
import { randomPaths } from "../../../helpers/random-paths.js";
import { repetitions } from "../../../helpers/repetitions.js";
import { compareKeys, getOrderKey, getPathAt } from "../../../../src/mongodb/memories/documents/page-order.js";
import { measureContent } from "../../../../src/mongodb/memories/documents/page-sizes.js";

type Content = Pick<MemorySnapshot, "files" | "directories">;

interface Page {
  _id: string;
  lo: string;
  hi: string | undefined;
  splitAtBytes: number | undefined;
  content: Content;
}

const pageBytes = 400;
const texts = fc.constantFrom("", "x", "y".repeat(120), "z".repeat(500));
const changes: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("append" as const),
      path: randomPaths,
      content: texts,
      create: fc.constant(true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("delete" as const),
      path: fc.oneof({ weight: 9, arbitrary: randomPaths }, fc.constant("/")),
      ifDirectory: fc.constantFrom("delete" as const, "fail" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("rename" as const), path: randomPaths, to: randomPaths }) },
);

const isIn = ({ lo, hi }: Pick<Page, "lo" | "hi">, path: string): boolean =>
  compareKeys(lo, getOrderKey(path)) <= 0 && (hi === undefined || compareKeys(getOrderKey(path), hi) < 0);

/** The part of a memory that lies in a page. */
function cutPage(tree: MemoryTree, page: Pick<Page, "lo" | "hi">): Content {
  const { files, directories } = tree.snapshot();
  return {
    files: files.filter(({ path }) => isIn(page, path)),
    directories: directories.filter((path) => isIn(page, path)),
  };
}

function sortContent({ files, directories }: Content): Content {
  return {
    files: files.toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: directories.toSorted(compareCodeUnits),
  };
}

/** The tree that a process has loaded: the content of some pages, and the directories above their starts. */
function loadTree(pages: readonly Page[]): MemoryTree {
  return new MemoryTree({
    files: pages.flatMap(({ content }) => content.files),
    directories: [
      ...pages.flatMap(({ content }) => content.directories),
      ...pages.flatMap(({ lo }) => (lo === "" ? [] : getParents(getPathAt(lo)))),
    ],
    revision: 0,
  });
}

/** Null for a change that is refused. */
function getEdits(tree: MemoryTree, change: Change): TreeEdits | null {
  try {
    return applyChange(tree, change, { now: new Date(0), maxFileBytes: 10_000 }).edits;
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    return null;
  }
}

/** A memory in pages, and the same memory as one tree. */
class PagedModel {
  readonly tree = new MemoryTree({ files: [], directories: [], revision: 0 });
  pages: Page[] = [
    { _id: "0", lo: "", hi: undefined, splitAtBytes: undefined, content: { files: [], directories: [] } },
  ];
  #count = 0;

  change(change: Change): void {
    if (change.type === "rename" && `${change.to}/`.startsWith(`${change.path}/`)) return;
    const selected = new Set(selectPages(this.pages, getScope(change)).map(({ _id }) => _id));
    const loaded = this.pages.filter(({ _id }) => selected.has(_id));
    const loadedTree = loadTree(loaded);
    const edits = getEdits(loadedTree, change);
    expect(edits).toEqual(getEdits(this.tree, change));
    if (edits === null) return;
    const plan = repartition(loaded, loadedTree, edits, pageBytes);
    this.tree.commit(edits);
    this.#checkPlan(loaded, plan);
    const rest = this.pages.filter(({ _id }) => !selected.has(_id));
    this.pages = [...rest, ...plan.map((page) => this.#store(page))].toSorted((a, b) => compareKeys(a.lo, b.lo));
  }

  #store({ old, lo, hi, splitAtBytes, content, isChanged }: NewPage<Page>): Page {
    if (old !== null && !isChanged) return old;
    return { _id: old?._id ?? String((this.#count += 1)), lo, hi, splitAtBytes, content };
  }

  #checkPlan(loaded: readonly Page[], plan: readonly NewPage<Page>[]): void {
    const olds = plan.flatMap(({ old }) => old ?? []);
    expect(new Set(olds).size).toBe(olds.length);
    expect(loaded).toEqual(expect.arrayContaining(olds));
    for (const { old, lo, hi, content, isChanged } of plan) {
      if (old !== null) expect(old.lo).toBe(lo);
      if (old === null) expect(isChanged).toBe(true);
      if (!isChanged)
        expect({ hi, ...sortContent(content) }).toEqual({ hi: old?.hi, ...sortContent(old?.content ?? content) });
    }
  }

  check(): void {
    expect(this.pages.map(({ lo }) => lo)).toEqual(["", ...this.pages.slice(0, -1).map(({ hi }) => hi)]);
    expect(this.pages.at(-1)?.hi).toBeUndefined();
    for (const page of this.pages) {
      expect(sortContent(page.content)).toEqual(sortContent(cutPage(this.tree, page)));
      const entries = page.content.files.length + page.content.directories.length;
      if (entries > 1) expect(measureContent(page.content)).toBeLessThanOrEqual(page.splitAtBytes ?? pageBytes);
      if (page.lo !== "")
        expect([...this.tree.directories]).toEqual(expect.arrayContaining(getParents(getPathAt(page.lo))));
    }
  }
}

describe("pages after a change", () => {
  it("are a partition of the memory, whatever was changed, split and joined", () => {
    let mostPages = 0;
    fc.assert(
      fc.property(fc.array(changes, { minLength: 5, maxLength: 40 }), (sequence) => {
        const model = new PagedModel();
        for (const change of sequence) {
          model.change(change);
          model.check();
          mostPages = Math.max(mostPages, model.pages.length);
        }
      }),
      { numRuns: repetitions({ usual: 40, long: 3_000 }) },
    );
    expect(mostPages).toBeGreaterThan(5);
  });

  it("are the same objects where nothing has changed", () => {
    const model = new PagedModel();
    for (const name of ["a", "b", "c", "d", "e", "f"])
      model.change({ type: "append", path: `/${name}`, content: "y".repeat(120), create: true });
    const before = model.pages;
    expect(before.length).toBeGreaterThan(2);
    model.change({ type: "append", path: "/f", content: "x", create: true });
    expect(model.pages.filter((page) => !before.includes(page))).toHaveLength(1);
  });

  it("lose those that begin in a removed directory", () => {
    const model = new PagedModel();
    for (const name of ["a", "b", "c", "d", "e", "f"])
      model.change({ type: "append", path: `/in/${name}`, content: "y".repeat(120), create: true });
    model.change({ type: "append", path: "/out", content: "y".repeat(120), create: true });
    expect(model.pages.length).toBeGreaterThan(2);
    model.change({ type: "rename", path: "/in", to: "/moved" });
    model.check();
    model.change({ type: "delete", path: "/moved", ifDirectory: "delete" });
    expect(model.pages.map(({ lo }) => lo)).toEqual(["", "out"]);
    model.check();
  });

  it("lose those at whose start nothing is any more", () => {
    const model = new PagedModel();
    for (const name of ["a", "b", "c", "d"])
      model.change({ type: "append", path: `/${name}`, content: "y".repeat(120), create: true });
    const [, second] = model.pages.map(({ lo }) => lo);
    model.change({ type: "append", path: `/${second} more`, content: "x", create: true });
    model.change({ type: "delete", path: `/${second}`, ifDirectory: "fail" });
    expect(model.pages.map(({ lo }) => lo)).toContain(second);
    const plan = repartition(model.pages, loadTree(model.pages), noEdits, pageBytes);
    expect(plan.map(({ lo }) => lo)).not.toContain(second);
    expect(plan.map(({ lo }) => lo)).toEqual(["", ...plan.slice(0, -1).map(({ hi }) => hi)]);
    expect(plan.flatMap(({ content }) => content.files.map(({ path }) => path))).toContain(`/${second} more`);
  });

  it("are not joined by a change of some of them that cannot see the page before", () => {
    const model = new PagedModel();
    for (const name of ["a", "b", "c", "d"])
      model.change({ type: "append", path: `/${name}`, content: "z".repeat(500), create: true });
    const { length } = model.pages;
    model.change({ type: "delete", path: "/c", ifDirectory: "fail" });
    expect(model.pages).toHaveLength(length);
    model.check();
  });
});
