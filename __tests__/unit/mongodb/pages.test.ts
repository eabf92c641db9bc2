import { describe, expect, it } from "@jest/globals";
import {
  covers,
  type PageBounds,
  type PageRange,
  selectPages,
} from "../../../src/mongodb/memories/reading/known-pages.js";
import { getParents } from "../../../src/core/values/paths.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { randomPaths } from "../../helpers/random-paths.js";
import {
  compareKeys,
  getOrderKey,
  getStartBelow,
  getEndBelow,
  getPathAt,
} from "../../../src/mongodb/memories/documents/page-order.js";
import { addressFor, memoryScopes } from "../../../src/core/values/address.js";
import { anyCharacter } from "../../helpers/any-character.js";
import {
  createPageId,
  getAddressKey,
  getAddressRange,
  getHeadId,
  getPagesRange,
  parsePageId,
} from "../../../src/mongodb/memories/documents/page-ids.js";
import { applyChange, type Change, MemoryTree } from "../../../src/custom-backend/index.js";
import { type MemorySnapshot, MemoryError } from "../../../src/index.js";
import { getScope } from "../../../src/core/tree/change.js";
import { noEdits, type TreeEdits } from "../../../src/core/tree/memory-tree.js";
import { compareCodeUnits } from "../../../src/core/values/text.js";
import { type NewPage, repartition } from "../../../src/mongodb/memories/changing/repartition.js";
import { measureContent } from "../../../src/mongodb/memories/documents/page-sizes.js";

interface Setting {
  /** Every position that matters: of the paths, and of the beginning of each directory. */
  positions: string[];
  /** Where pages begin, the first of them at the empty position. */
  starts: string[];
  range: PageRange;
}

const settings: fc.Arbitrary<Setting> = fc.uniqueArray(randomPaths, { minLength: 4, maxLength: 25 }).chain((paths) => {
  const all = [...new Set(["/", ...paths.flatMap((path) => [...getParents(path), path])])];
  const some = fc.subarray(all, { maxLength: 3 });
  return fc.record({
    positions: fc.constant([...all.map(getOrderKey), ...all.map(getStartBelow)]),
    starts: fc.subarray(paths).map((chosen) => ["", ...chosen.map(getOrderKey)].toSorted(compareKeys)),
    range: fc.record({ paths: some, below: some }),
  });
});

/** Whether a call needs a position: that of a path, or one from the beginning of a directory to its last path. */
function needs({ paths, below }: PageRange, position: string): boolean {
  return (
    paths.some((path) => getOrderKey(path) === position) ||
    below.some((path) => position.startsWith(getStartBelow(path)))
  );
}

const isIn = ({ lo = "", hi }: PageBounds, position: string): boolean =>
  compareKeys(lo, position) <= 0 && (hi === undefined || compareKeys(position, hi) < 0);

const createPages = (starts: readonly string[]): { _id: string; lo: string; hi: string | undefined }[] =>
  starts.map((lo, index) => ({ _id: String(index), lo, hi: starts[index + 1] }));

describe("the known pages", () => {
  it("are selected if they have a position that is needed", () => {
    assertProperty(
      fc.property(settings, ({ positions, starts, range }) => {
        const pages = createPages(starts);
        const needed = positions.filter((position) => needs(range, position));
        const expected = pages.filter((page) => needed.some((position) => isIn(page, position)));
        expect(
          selectPages(pages, range)
            .map(({ lo }) => lo)
            .toSorted(compareKeys),
        ).toEqual(expected.map(({ lo }) => lo));
      }),
      { usual: 100, long: 5_000 },
    );
  });

  it("cover what is needed if each needed position lies in one of them", () => {
    assertProperty(
      fc.property(settings, fc.array(fc.boolean()), ({ positions, starts, range }, kept) => {
        const pages = createPages(starts).filter((_, index) => kept[index] !== false);
        const needed = positions.filter((position) => needs(range, position));
        const areCovered = needed.every((position) => pages.some((page) => isIn(page, position)));
        expect(covers(pages, range)).toBe(areCovered);
      }),
      { usual: 100, long: 5_000 },
    );
  });
});

/** Many of them differ first where the order of UTF-16 is another one. */
const characters = fc.oneof(anyCharacter, fc.constantFrom("a", "\uFFFD", "\u{1F9E0}"));
const texts = fc.array(characters, { maxLength: 4 }).map((each) => each.join(""));

/** Compares by code points, whose order is the one of UTF-8 bytes, and so of MongoDB. */
function compareCodePoints(a: string, b: string): number {
  const [one, other] = [Array.from(a), Array.from(b)].map((each) => each.map((char) => char.codePointAt(0) ?? 0));
  if (one === undefined || other === undefined) throw new Error("there are two texts");
  const at = one.findIndex((point, index) => point !== other[index]);
  return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1);
}

const isWithin = (key: string, start: string, end: string | null): boolean =>
  compareKeys(start, key) <= 0 && (end === null || compareKeys(key, end) < 0);

describe("the order of pages", () => {
  it("is the order of bytes", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(compareCodePoints(a, b)));
      }),
    );
  });

  it("has everything below a directory directly after it", () => {
    fc.assert(
      fc.property(fc.uniqueArray(randomPaths, { minLength: 2, maxLength: 30 }), randomPaths, (paths, directory) => {
        const sorted = [...new Set([...paths, directory])].toSorted((a, b) =>
          compareKeys(getOrderKey(a), getOrderKey(b)),
        );
        const below = sorted.filter((path) => path.startsWith(`${directory}/`));
        const at = sorted.indexOf(directory);
        expect(sorted.slice(at + 1, at + 1 + below.length)).toEqual(below);
      }),
    );
  });

  it("begins and ends a directory exactly", () => {
    fc.assert(
      fc.property(randomPaths, fc.oneof(fc.constant("/"), randomPaths), (path, directory) => {
        const isBelow = directory === "/" || path.startsWith(`${directory}/`);
        expect(isWithin(getOrderKey(path), getStartBelow(directory), getEndBelow(directory))).toBe(isBelow);
        expect(isWithin(getOrderKey(path), getOrderKey(directory), getEndBelow(directory))).toBe(
          isBelow || path === directory,
        );
      }),
    );
  });

  it("has a position for each path", () => {
    fc.assert(fc.property(randomPaths, (path) => expect(getPathAt(getOrderKey(path))).toBe(path)));
  });
});

/** Ids that a collation without case, accents and control characters takes for each other. */
const ids = fc
  .array(fc.constantFrom("a", "A", "á", "ａ", ":", "/", "%", "1", "01", "perUser", "global", " "), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(""));
const addresses = fc
  .tuple(ids, fc.constantFrom(...memoryScopes), ids)
  .map(([nodeId, scope, owner]) => addressFor(nodeId, scope, scope === "global" ? null : owner));

/** What a collation may see of a text. */
const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}|\p{Cc}/gu, "")
    .toLowerCase();

const incarnation = "0123456789abcdef01234567";
const isInPage = (id: string, range: { $gte: string; $lt: string }): boolean => isWithin(id, range.$gte, range.$lt);

describe("the ids of pages", () => {
  it("are never those of another address, even if letters and control characters do not count", () => {
    fc.assert(
      fc.property(addresses, addresses, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(getAddressKey(one) === getAddressKey(other)).toBe(isSame);
        expect(fold(getHeadId(one)) === fold(getHeadId(other))).toBe(isSame);
        expect(isInPage(createPageId(getHeadId(other), incarnation), getAddressRange(one))).toBe(isSame);
        expect(isInPage(createPageId(getHeadId(other), incarnation), getPagesRange(getHeadId(one), incarnation))).toBe(
          isSame,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it("are in the ranges of their incarnation and address, and no others", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const [head, page] = [getHeadId(address), createPageId(getHeadId(address), incarnation)];
        expect([isInPage(head, getAddressRange(address)), isInPage(page, getAddressRange(address))]).toEqual([
          true,
          true,
        ]);
        expect(isInPage(page, getPagesRange(getHeadId(address), incarnation))).toBe(true);
        expect(isInPage(head, getPagesRange(getHeadId(address), incarnation))).toBe(false);
        expect(isInPage(page, getPagesRange(getHeadId(address), incarnation.replace("7", "8")))).toBe(false);
      }),
    );
  });

  it("tell their head and their incarnation, and are new each time", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const page = createPageId(getHeadId(address), incarnation);
        const token = page.slice(-16);
        expect(parsePageId(page)).toEqual({ headId: getHeadId(address), incarnation, token });
        expect(parsePageId(getHeadId(address))).toBeNull();
        expect(createPageId(getHeadId(address), incarnation)).not.toBe(page);
      }),
    );
  });
});

type Content = Pick<MemorySnapshot, "files" | "directories">;

interface Page {
  _id: string;
  lo: string;
  hi: string | undefined;
  splitAtBytes: number | undefined;
  content: Content;
}

const pageBytes = 400;
const someTexts = fc.constantFrom("", "x", "y".repeat(120), "z".repeat(500));
const changes: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("append" as const),
      path: randomPaths,
      content: someTexts,
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

const isInRun = ({ lo, hi }: Pick<Page, "lo" | "hi">, path: string): boolean =>
  compareKeys(lo, getOrderKey(path)) <= 0 && (hi === undefined || compareKeys(getOrderKey(path), hi) < 0);

/** The part of a memory that lies in a page. */
function cutPage(tree: MemoryTree, page: Pick<Page, "lo" | "hi">): Content {
  const { files, directories } = tree.snapshot();
  return {
    files: files.filter(({ path }) => isInRun(page, path)),
    directories: directories.filter((path) => isInRun(page, path)),
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
    assertProperty(
      fc.property(fc.array(changes, { minLength: 5, maxLength: 40 }), (sequence) => {
        const model = new PagedModel();
        for (const change of sequence) {
          model.change(change);
          model.check();
          mostPages = Math.max(mostPages, model.pages.length);
        }
      }),
      { usual: 40, long: 3_000 },
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
