import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { MemoryOutline } from "../../../src/core/memory.js";
import { findHiddenDirectory, getParents } from "../../../src/core/values/paths.js";
import { compareCodeUnits } from "../../../src/core/values/text.js";
import { ExactCollection } from "../../../src/mongodb/driver/exact-collection.js";
import {
  idOfPath,
  getMemoryKey,
  placeOfFile,
  type StoredDocument,
} from "../../../src/mongodb/memories/files/documents.js";
import { FilesOutline, type OutlineLimits } from "../../../src/mongodb/memories/files/files-outline.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { sortedEntries } from "../../../src/prompt/entries.js";
import { outlineToShow, showMemory } from "../../../src/prompt/shown-memory.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, db, name: dbName } = testDatabase("replicaSet");
const store = new MongoMemoryStore({ client, dbName, layout: "files" });
const documents = db.collection<StoredDocument>("memories_files");
const at = new Date(0);

/**
 * What sorts on one side of a slash or of its longer kin, what UTF-16 and UTF-8 sort in other ways, and what is hidden.
 */
const piece = fc.constantFrom(
  "a",
  "b",
  "-",
  " ",
  "!",
  "0",
  ".",
  "é",
  "\u2028",
  "\uD7FF",
  "\uE000",
  "\uFF21",
  "\uFFFF",
  "😀",
  "\u{10000}",
  "\u{10FFFF}",
);
const name = fc.oneof(
  fc.constantFrom("a", "a-b", ".h", "\uFF21", "😀"),
  fc
    .array(piece, { minLength: 1, maxLength: 3 })
    .map((pieces) => pieces.join(""))
    .filter((each) => !/^\.\.?$/.test(each)),
);
const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => `/${names.join("/")}`);

interface Tree {
  files: string[];
  directories: string[];
}

/** Wide trees, deep ones, and directories with nothing in them. */
const tree: fc.Arbitrary<Tree> = fc
  .tuple(
    fc.array(path, { minLength: 10, maxLength: 60 }),
    fc.array(path, { maxLength: 30 }),
    fc.oneof(
      path,
      path.map((each) => `/.h${each}`),
    ),
    fc.array(name, { minLength: 20, maxLength: 80 }),
    fc.boolean(),
  )
  .map(([files, directories, wide, names, areDirectories]) => {
    const inWide = names.map((each) => `${wide}/${each}`);
    const [given, made] = areDirectories ? [files, [...directories, ...inWide]] : [[...files, ...inWide], directories];
    const all = new Set([...made, ...[...given, ...made].flatMap(getParents)]);
    return { files: [...new Set(given)].filter((file) => !all.has(file)), directories: [...all] };
  });

/** A memory of these, read with other limits. */
async function stored({
  files,
  directories,
}: Tree): Promise<(wanted: object, limits?: OutlineLimits) => Promise<MemoryOutline>> {
  const address = freshAddress();
  const key = getMemoryKey({ ...address, scope: "global" });
  const fields = { createdAt: at, updatedAt: at };
  await store.start();
  await documents.insertMany([
    ...["/", ...directories].map((each) => ({ _id: idOfPath(key, each), kind: "dir" as const, made: 1, ...fields })),
    ...files.map((each, index) => ({
      ...placeOfFile(key, each),
      kind: "file" as const,
      text: "x".repeat(index % 12),
      textId: String(index),
      sizeBytes: index % 12,
      ...fields,
    })),
  ]);
  const context = { collection: new ExactCollection(documents), isGuest: false };
  return async (wanted, limits) => {
    const session = client.startSession({ snapshot: true });
    try {
      const all = { maxContentBytes: 0, leadChars: 0, maxPathChars: Infinity, ...wanted };
      return sorted(await new FilesOutline(context, key, session, all, createUnlimitedCall(), limits).read());
    } finally {
      await session.endSession();
    }
  };
}

function sorted(outline: MemoryOutline): MemoryOutline {
  const byPath = (one: { path: string }, other: { path: string }): number => compareCodeUnits(one.path, other.path);
  return {
    ...outline,
    files: outline.files.toSorted(byPath),
    directories: outline.directories.toSorted(compareCodeUnits),
  };
}

/** The whole outline, in which counts are as unknown as in one that is cut. */
function asUnknown(whole: MemoryOutline, cut: MemoryOutline, counted: number): MemoryOutline {
  const hidden = new Map<string, number>();
  const files = whole.files.filter((file) => {
    const directory = findHiddenDirectory(file.path);
    if (directory === undefined) return true;
    const count = (hidden.get(directory) ?? 0) + 1;
    hidden.set(directory, count);
    return !cut.directories.includes(directory) || cut.uncounted?.includes(directory) !== true || count <= counted;
  });
  for (const directory of cut.uncounted ?? []) expect(hidden.get(directory)).toBeGreaterThan(counted);
  const { moreThan, uncounted } = cut;
  return { ...whole, files, ...(moreThan !== undefined && { moreThan }), ...(uncounted && { uncounted }) };
}

/** The keys of what comes first, up to the first that exceeds the limit. */
function firstKeys(outline: MemoryOutline, maxPathChars: number): string[] {
  let chars = 0;
  const byDepth = sortedEntries(outline, "/").toSorted((a, b) => a.depth - b.depth);
  return byDepth
    .map(({ key }) => key)
    .filter((key) => {
      const isHeld = chars <= maxPathChars;
      chars += key.replace(/\/$/, "").length + 2;
      return isHeld;
    });
}

describe("an outline of the layout files that is cut", () => {
  // Requirement: files.outline-bounded
  it(
    "is shown as the whole one would be, but for the counts",
    async () => {
      const form = fc.record({
        content: fc.constantFrom("tree" as const, "index" as const, "full" as const),
        maxChars: fc.oneof(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 200, max: 260 })),
      });
      const limit = fc.record({
        counted: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 130 })),
        page: fc.integer({ min: 1, max: 6 }),
      });
      const notes = { cut: 0, uncounted: 0, shown: 0 };
      await fc.assert(
        fc.asyncProperty(
          tree,
          fc.array(fc.tuple(form, limit), { minLength: 6, maxLength: 6 }),
          async (given, readings) => {
            const read = await stored(given);
            for (const [{ content, maxChars }, limits] of readings) {
              const { maxPathChars = Infinity, ...wanted } = outlineToShow({ content, maxChars });
              const whole = await read(wanted);
              const cut = await read({ ...wanted, maxPathChars }, limits);
              const told = asUnknown(whole, cut, limits.counted);
              expect(firstKeys(cut, Infinity)).toEqual(
                firstKeys(told, cut.moreThan === undefined ? Infinity : maxPathChars),
              );
              const options = { content, maxChars, scope: "global", insteadOf: null, root: "/" } as const;
              const text = await showMemory(cut, options);
              expect(text).toBe(await showMemory(told, options));
              if (cut.moreThan !== undefined) notes.cut += 1;
              if (cut.uncounted !== undefined) notes.uncounted += 1;
              if (text?.includes(`(more than ${limits.counted} entries left out`) === true) {
                notes.shown += 1;
                const shown = text.split("\n").filter((line) => line.startsWith("/")).length;
                expect(given.files.length + given.directories.length - shown).toBeGreaterThan(limits.counted);
              }
              if (given.files.length + given.directories.length <= limits.counted) expect(cut).toEqual(whole);
            }
          },
        ),
        { numRuns: repetitions({ usual: 30, long: 2000 }) },
      );
      for (const count of Object.values(notes)) expect(count).toBeGreaterThan(0);
    },
    isLong ? 600_000 : 60_000,
  );
});
