import { describe, expect, it } from "@jest/globals";
import { keyOfPath, pathOfKey } from "../../../src/mongodb/memories/documents/page-document.js";
import { MemoryError } from "../../../src/index.js";
import { parseMemoryNamespace, getMemoryNamespace } from "../../../src/core/values/namespace.js";
import { normalizePath } from "../../../src/core/values/paths.js";
import { anyCharacter } from "../../helpers/any-character.js";
import fc from "../../helpers/fast-check.js";
import { repetitions } from "../../helpers/repetitions.js";

const delicate = fc.constantFrom(".", "%", "$", "%2E", "%25", "%24", ":", "a", "é", "🧠", " ", "__proto__", "|");
const name = fc
  .array(fc.oneof(delicate, fc.string({ unit: anyCharacter })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""));

function legal<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (MemoryError.isInstance(error)) return null;
    throw error;
  }
}

it("a path is the same, or refused alike, whether or not it is given in its one spelling", () => {
  const long = fc.integer({ min: 0, max: 257 }).map((length) => "x".repeat(length));
  const segments = fc.array(fc.oneof(name, long, fc.constantFrom("..", ".", "notes.txt", ".hidden")), {
    minLength: 1,
    maxLength: 34,
  });
  const spelled = (path: string): unknown => legal(() => normalizePath(path));
  fc.assert(
    fc.property(segments, (parts) => expect(spelled(`/${parts.join("/")}`)).toBe(spelled(`//${parts.join("//")}`))),
    { numRuns: repetitions({ usual: 500, long: 5_000 }) },
  );
  for (const legalPath of [
    `/${"x".repeat(255)}`,
    "/x".repeat(32),
    "/yyy".repeat(31) + `/${"x".repeat(255)}`,
    `/${"x".repeat(204)}`.repeat(4) + `/${"x".repeat(203)}`,
  ]) {
    expect([spelled(legalPath), spelled(`/${legalPath}`)]).toEqual([legalPath, legalPath]);
  }
  for (const illegal of [`/${"x".repeat(256)}`, "/x".repeat(33), `/${"x".repeat(204)}`.repeat(5)])
    expect([spelled(illegal), spelled(`/${illegal}`)]).toEqual([null, null]);
});

describe("a path as a stored key", () => {
  const path = fc
    .array(name, { maxLength: 4 })
    .map((segments) => legal(() => normalizePath(`/${segments.join("/")}`)))
    .filter((normalized) => normalized !== null && normalized !== "/")
    .map(String);

  it("comes back equal, so no two paths share a key", () => {
    fc.assert(
      fc.property(path, (one) => expect(pathOfKey(keyOfPath(one))).toBe(one)),
      { numRuns: repetitions({ usual: 400, long: 2_000 }) },
    );
  });

  it("has a dot for each slash, no dollar where an operator would begin, and no NUL", () => {
    const plain = (one: string): void => {
      const segments = keyOfPath(one).split(".");
      expect(segments).toHaveLength(one.split("/").length - 1);
      for (const segment of segments) expect(segment).toMatch(/^[^$\0]/);
    };
    fc.assert(fc.property(path, plain), { numRuns: repetitions({ usual: 400, long: 2_000 }) });
  });

  it("stays as it is for the paths of the rule plain", () => {
    expect(keyOfPath("/notes/to day_-9")).toBe("notes.to day_-9");
  });
});

describe("an address as a namespace", () => {
  it("is percent-encoded where LangGraph allows a character in no label, and nowhere else", () => {
    expect(getMemoryNamespace({ nodeId: "ann@example.com", scope: "global" })).toEqual([
      "memory",
      "ann@example%2Ecom",
      "global",
    ]);
    const thread = { nodeId: "a:b/c", scope: "perThread", threadId: "100% é" } as const;
    expect(getMemoryNamespace(thread)).toEqual(["memory", "a%3Ab/c", "perThread", "100%25 é"]);
  });

  it.each([
    [[]],
    [["memory"]],
    [["memory", "a"]],
    [["memory", "a", "global", "x"]],
    [["memory", "a%zz", "global"]],
    [["memory", "a%2e", "global"]],
    [["memory", "a", "perThread"]],
    [["other", "a", "global"]],
  ])("is none for %j", (namespace) => {
    expect(parseMemoryNamespace(namespace)).toBeNull();
  });
});
