import { expect, it, describe } from "@jest/globals";
import { blameLines } from "../../../src/core/history/blame.js";
import type { FileLineage, LineageStep } from "../../../src/core/history/history-backend.js";
import { encodeText } from "../../helpers/at-once.js";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { applyChange, type Change, MemoryTree } from "../../../src/custom-backend/index.js";
import { digestTree } from "../../../src/core/tree/digest.js";
import { createFiles } from "../../helpers/snapshot-files.js";
import { encodeOlderText, readOlderText } from "../../../src/core/history/older-text.js";
import type { MemorySnapshot } from "../../../src/index.js";
import { getRestorationScope, restoreTree, type TreeRestoration } from "../../../src/core/tree/restore-tree.js";
import { getTexts, redactRecords } from "../../../src/core/approval/redact-records.js";
import type { ChangeRecord, ChangeRecords } from "../../../src/core/contract/change-record.js";

interface Line {
  text: string;
  /** The id of the version that brought it. */
  id: string;
}

const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join("\n");

function stepOf(id: string, older: readonly Line[] | null, newer: readonly Line[]): LineageStep {
  const version = {
    id,
    path: "/f",
    operation: "modified",
    at: new Date(0),
    actor: null,
    sizeBytes: 0,
    sha256: "",
  } as const;
  return { version, before: older === null ? "none" : encodeText(textOf(older), textOf(newer)) };
}

/** As a backend tells it, two versions at a time. */
function lineageOf(lines: readonly Line[], steps: readonly LineageStep[]): FileLineage {
  async function* some(): AsyncGenerator<readonly LineageStep[]> {
    for (let index = 0; index < steps.length; index += 2) yield steps.slice(index, index + 2);
  }
  return { text: textOf(lines), steps: some() };
}

/** A change of a file: at some places, how many lines go and how many come. */
const someChange = fc.array(fc.record({ place: fc.nat(), removed: fc.nat(2), added: fc.nat(2) }), {
  minLength: 1,
  maxLength: 12,
});

it.each([
  ["long", ", with enough behind it to stay by itself"],
  ["short", ""],
])(
  "blame names the version that brought each of many %s lines, however many places a version changed",
  async (_length, rest) => {
    await assertProperty(
      fc.asyncProperty(fc.array(someChange, { maxLength: 12 }), fc.nat(150), async (changes, count) => {
        const brought = (id: string, index: number): Line => ({ text: `${index}.${id}${rest}`, id });
        let lines = Array.from({ length: count + 1 }, (_, index) => brought("0", index));
        const steps = [stepOf("0", null, lines)];
        changes.forEach((change, index) => {
          const older = lines;
          const id = String(index + 1);
          lines = change.reduce((all, { place, removed, added }, edit) => {
            const come = Array.from({ length: added }, (_, line) => brought(id, edit * 10 + line));
            return all.toSpliced(place % (all.length + 1), removed, ...come);
          }, older);
          if (lines.length === 0) lines = [brought(id, 999)];
          steps.unshift(stepOf(id, older, lines));
        });
        const blamed = await blameLines(lineageOf(lines, steps), createUnlimitedCall());
        expect(blamed.map(({ text, version }) => ({ text, id: version?.id }))).toEqual(lines);
      }),
      { usual: 60, long: 3_000 },
    );
  },
);

it("blame goes through versions of more lines than a call has arguments", async () => {
  const older = Array.from({ length: 300_000 }, (): Line => ({ text: "", id: "0" }));
  const newer: Line[] = [{ text: "all new", id: "1" }];
  const steps = [stepOf("2", older, newer), stepOf("1", newer, older), stepOf("0", null, newer)];
  const [line] = await blameLines(lineageOf(newer, steps), createUnlimitedCall());
  expect(line?.version?.id).toBe("2");
});

it("blame finds lines that moved by one among lines that stayed", async () => {
  const lines = (id: string, texts: string[]): Line[] => texts.map((text) => ({ text, id }));
  const older = lines("0", ["one", "two", "three", "four", "five", "six", "seven", "eight"]);
  const [, two, three, four, five, , seven, eight] = older;
  const newer = [...lines("1", ["ONE"]), two, three, four, five, seven, eight, ...lines("1", ["nine"])].filter(
    (line) => line !== undefined,
  );
  const blamed = await blameLines(
    lineageOf(newer, [stepOf("1", older, newer), stepOf("0", null, older)]),
    createUnlimitedCall(),
  );
  expect(blamed.map(({ text, version }) => ({ text, id: version?.id }))).toEqual(newer);
});

it("blame asks for no older versions once it knows the version of each line", async () => {
  const lines = (id: string, count: number): Line[] =>
    Array.from({ length: count }, (_, index) => ({ text: `${index} of ${id}`, id }));
  const [oldest, older, newer] = [lines("0", 3), lines("1", 3), lines("2", 3)];
  let asked = 0;
  async function* steps(): AsyncGenerator<readonly LineageStep[]> {
    for (const step of [stepOf("2", older, newer), stepOf("1", oldest, older), stepOf("0", null, oldest)]) {
      asked += 1;
      yield [step];
    }
  }
  const blamed = await blameLines({ text: textOf(newer), steps: steps() }, createUnlimitedCall());
  expect(blamed.map(({ version }) => version?.id)).toEqual(["2", "2", "2"]);
  expect(asked).toBe(1);
});

it.each([
  ["a line without a newline at its end, to which a later version appends", ["a", "a\nb"], ["0", "1"]],
  ["a line of which only the newline came or went", ["a", "a\n", "a"], ["0"]],
  ["an empty line after the former end of the file", ["a\n", "a\n\nb\n"], ["0", "1", "1"]],
])("blame finds the version of %s", async (_, texts, ids) => {
  const lines = texts.map((text, index) => text.split("\n").map((line): Line => ({ text: line, id: String(index) })));
  const steps = lines.map((newer, index) => stepOf(String(index), lines[index - 1] ?? null, newer)).toReversed();
  const blamed = await blameLines(lineageOf(lines.at(-1) ?? [], steps), createUnlimitedCall());
  expect(blamed.map(({ version }) => version?.id)).toEqual(ids);
});

const createdAt = new Date(1);
const now = new Date(2);
const settings = { now, maxFileBytes: 10 };

function createTree(texts: Record<string, string>): MemoryTree {
  return new MemoryTree({ files: createFiles(texts, createdAt), directories: [], revision: null });
}

describe("a change applied to a tree", () => {
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

const someLines = fc
  .array(fc.constantFrom("", "a", "b😀", "😀", "😁", "a line of some length", "x".repeat(100)), { maxLength: 30 })
  .map((lines) => lines.join("\n"));

/** Two texts that have much in common. */
const someWords = fc
  .tuple(
    someLines,
    fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom("", "!", "\n", "😁", "y\nz")), { maxLength: 4 }),
  )
  .map(([older, edits]) => {
    const newer = edits.reduce((text, [place, count, added]) => {
      const start = text.length === 0 ? 0 : place % text.length;
      return text.slice(0, start) + added + text.slice(start + count);
    }, older);
    return { older, newer: newer.toWellFormed() };
  });

describe("an older text", () => {
  it("is read by the newer one", () => {
    assertProperty(
      fc.property(someWords, ({ older, newer }) => {
        const told = encodeText(older, newer);
        expect(readOlderText(told, newer)).toBe(older);
        expect(told.text.isWellFormed()).toBe(true);
      }),
      { usual: 200, long: 10_000 },
    );
  });

  it("holds what lies between the first difference and the last one, and no more", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const newer = lines.with(10, "changed").with(12, "").join("\n");
    expect(encodeText(lines.join("\n"), newer).text).toBe("line 10\nline 11\nline 12");
  });

  it.each([
    ["that are the same but for one unit", `${"x".repeat(2_000_000)}a`, `${"x".repeat(2_000_000)}b`],
    ["that are the same but for the first unit", `a${"x".repeat(2_000_000)}`, `b${"x".repeat(2_000_000)}`],
  ])("is made of texts %s in short steps", (_, older, newer) => {
    expect([...encodeOlderText(older, newer)].length).toBeGreaterThanOrEqual(8);
  });
});

function createSnapshot(texts: Record<string, string>, directories: string[] = []): MemorySnapshot {
  return { files: createFiles(texts, createdAt), directories, revision: 7 };
}

function createRestoration(changes: Partial<TreeRestoration>): TreeRestoration {
  return { files: new Map(), renamed: new Map(), addedDirectories: [], removedDirectories: [], ...changes };
}

function restore(present: MemorySnapshot, restoration: TreeRestoration): MemoryTree {
  const tree = new MemoryTree(present);
  tree.commit(restoreTree(tree, restoration, now));
  return tree;
}

function textsByPath({ files }: MemoryTree): Record<string, string> {
  return Object.fromEntries(Array.from(files, ([path, { content }]) => [path, content]));
}

describe("a restored tree", () => {
  it("has the planned texts and no other ones, for any two states", () => {
    const someTexts = fc.dictionary(fc.constantFrom("/a", "/b", "/d/a", "/d/b", "/e/f/a"), fc.string());
    const property = fc.property(someTexts, someTexts, (present, former) => {
      const snapshot = createSnapshot(present);
      const files = new Map(Object.keys({ ...present, ...former }).map((path) => [path, former[path] ?? null]));
      expect(textsByPath(restore(snapshot, createRestoration({ files })))).toEqual(former);
    });
    fc.assert(property);
  });

  it("has the planned directories", () => {
    const snapshot = createSnapshot({ "/kept/a": "a", "/gone/b": "b" });
    const restoration = createRestoration({
      files: new Map([["/gone/b", null]]),
      addedDirectories: ["/new"],
      removedDirectories: ["/gone"],
    });
    expect([...restore(snapshot, restoration).directories].toSorted()).toEqual(["/kept", "/new"]);
  });

  it("keeps when a file was created, also where it is moved back, and says when it was written", () => {
    const snapshot = createSnapshot({ "/changed": "new", "/moved": "same" });
    const restoration = createRestoration({
      files: new Map([
        ["/changed", "old"],
        ["/moved", null],
        ["/former", "same"],
        ["/deleted", "é"],
      ]),
      renamed: new Map([["/former", "/moved"]]),
    });
    const edits = restoreTree(new MemoryTree(snapshot), restoration, now);
    expect(edits.moved).toEqual([{ path: "/moved", to: "/former" }]);
    expect(edits.removed).toEqual([]);
    const tree = restore(snapshot, restoration);
    expect(textsByPath(tree)).toEqual({ "/changed": "old", "/former": "same", "/deleted": "é" });
    const times = ["/changed", "/former", "/deleted"].map((path) => tree.files.get(path)?.createdAt);
    expect(times).toEqual([createdAt, createdAt, now]);
    expect(tree.files.get("/former")?.updatedAt).toEqual(now);
    expect(tree.files.get("/deleted")?.sizeBytes).toBe(2);
  });
});

describe("a restoration", () => {
  const restoration = createRestoration({
    files: new Map([
      ["/d/a", null],
      ["/b", "former"],
    ]),
    removedDirectories: ["/d"],
  });

  it("leaves what it does not change as it is", () => {
    const present = createSnapshot({ "/d/a": "a", "/b": "b", "/other": "changed" });
    expect(textsByPath(restore(present, restoration))).toEqual({ "/b": "former", "/other": "changed" });
  });

  it("needs no more than its scope", () => {
    expect(getRestorationScope(restoration)).toEqual({ paths: ["/d/a", "/b", "/d"], below: ["/d"] });
  });
});

const pending: ChangeRecord = {
  id: "1",
  kind: "proposal",
  status: "pending",
  token: null,
  claim: null,
  askedAt: null,
  command: "append",
  path: "/a",
  to: null,
  content: "secret",
  oldContent: null,
  before: null,
  after: "secret",
  isDirectory: false,
  base: "digest",
  diff: "+secret\n",
  counts: {},
  edited: null,
  actor: { client: "secret agent" },
  at: new Date(0),
  decidedBy: null,
  decidedAt: null,
  reason: null,
};

/** One record, and what happens to it right before the redaction changes it. */
function createRecords(meanwhile: (record: ChangeRecord) => ChangeRecord | null): ChangeRecords & {
  stored: ChangeRecord | null;
  made: string[];
} {
  let hasHappened = false;
  return {
    stored: pending,
    made: [],
    now: () => new Date(0),
    async find() {
      return this.stored;
    },
    put: async (record) => record,
    withdraw: async () => {},
    async swap(_id, expected, fields) {
      if (!hasHappened) {
        hasHappened = true;
        this.stored = this.stored && meanwhile(this.stored);
      }
      if (this.stored === null || this.stored.status !== expected.status) return null;
      this.stored = { ...this.stored, ...fields };
      return this.stored;
    },
    async apply(record) {
      this.made.push(record.after ?? "");
      return "applied";
    },
    unmark: async () => undefined,
    async page(kind) {
      return { records: kind === "proposal" && this.stored !== null ? [this.stored] : [], end: null };
    },
  };
}

const redaction = {
  isTied: (record: ChangeRecord) => getTexts(record).some((text) => text.includes("secret")),
  isPathRedacted: () => false,
  coverShort: (text: string) => text.replaceAll("secret", "cover"),
  coverSources: (sources: string[]) => sources,
  coverActor: <Actor extends ChangeRecord["actor"]>(actor: Actor): Actor =>
    actor?.client === "secret agent" ? { ...actor, client: "cover" } : actor,
};

describe("a record that somebody decides while it is redacted", () => {
  it.each<[string, Partial<ChangeRecord>, string[]]>([
    ["approves", { status: "applying", token: "t", claim: "c" }, ["secret"]],
    ["has approved", { status: "approved" }, []],
    ["rejects", { status: "rejected", reason: "no secret", decidedBy: { userId: "ada" } }, []],
  ])("loses its texts where that person %s it", async (_name, decision, made) => {
    const records = createRecords((record) => ({ ...record, ...decision }));
    expect(await redactRecords(records, redaction)).toBe(1);
    const { status = "pending" } = decision;
    expect(records.stored).toMatchObject({
      status: status === "applying" ? "approved" : status,
      content: null,
      after: null,
      diff: "",
      base: "",
      actor: { client: "cover" },
    });
    expect(records.made).toEqual(made);
    expect(await redactRecords(records, redaction)).toBe(0);
  });

  it("is done with where it is gone", async () => {
    expect(
      await redactRecords(
        createRecords(() => null),
        redaction,
      ),
    ).toBe(1);
  });
});
