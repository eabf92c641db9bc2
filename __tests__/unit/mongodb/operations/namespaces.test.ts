import { describe, expect, it } from "@jest/globals";
import { validateNamespace } from "@langchain/langgraph-checkpoint";
import { compareCodeUnits } from "../../../../src/core/values/text.js";
import {
  compareNamespaces,
  parseStoredNamespace,
  namespacesWithin,
  sortKey,
  idsWithin,
  storedNamespace,
  createItemId,
} from "../../../../src/mongodb/operations/namespaces.js";
import { checkNamespace } from "../../../../src/mongodb/operations/check-namespace.js";
import { anyCharacter } from "../../../helpers/any-character.js";
import fc from "../../../helpers/fast-check.js";
import { repetitions } from "../../../helpers/repetitions.js";

/** Characters on both sides of every edge of the encoding, and some between. */
const character = fc.oneof(
  fc.constantFrom("\u0001", "0", "a", "b", "\uD7FF", "\uE000", "\uFFFF", "\u{10000}", "\u{10FFFE}", "\u{10FFFF}"),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }).filter((one) => one !== "\0"),
);
const label = fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join(""));
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.array(fc.oneof(character, fc.constant("\0")), { maxLength: 4 }).map((characters) => characters.join(""));
const place = fc.tuple(namespace, key);

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("stored places", () => {
  it("sort by bytes as namespaces label by label, then keys, sort by code units", () => {
    fc.assert(
      fc.property(place, place, ([namespaceA, keyA], [namespaceB, keyB]) => {
        const expected = compareLabels(namespaceA, namespaceB) || compareCodeUnits(keyA, keyB);
        expect(compareBytes(createItemId(namespaceA, keyA), createItemId(namespaceB, keyB))).toBe(expected);
        expect(compareCodeUnits(sortKey(namespaceA, keyA), sortKey(namespaceB, keyB))).toBe(expected);
        expect(compareBytes(storedNamespace(namespaceA), storedNamespace(namespaceB))).toBe(
          compareLabels(namespaceA, namespaceB),
        );
        expect(compareNamespaces(namespaceA, namespaceB)).toBe(compareLabels(namespaceA, namespaceB));
      }),
      { numRuns: repetitions({ usual: 250, long: 1_000 }) },
    );
  });

  it("give the namespace back", () => {
    fc.assert(
      fc.property(namespace, (labels) => expect(parseStoredNamespace(storedNamespace(labels))).toEqual(labels)),
      { numRuns: repetitions({ usual: 150, long: 500 }) },
    );
  });

  it("lie in the range of a prefix exactly where the namespace begins with its labels", () => {
    fc.assert(
      fc.property(namespace, place, fc.nat(3), (other, [labels, itemKey], length) => {
        for (const prefix of [other, labels.slice(0, length), [...labels, "a"]]) {
          const begins = prefix.every((one, index) => one === labels[index]);
          expect(isWithin(createItemId(labels, itemKey), idsWithin(prefix))).toBe(begins);
          expect(isWithin(storedNamespace(labels), namespacesWithin(prefix))).toBe(begins);
        }
      }),
      { numRuns: repetitions({ usual: 150, long: 500 }) },
    );
  });

  it("leave ordinary text as it is", () => {
    expect(createItemId(["users", "ä 1"], "\u{1F600}")).toBe("users\0ä 1\0\0\u{1F600}");
  });
});

describe("checkNamespace", () => {
  it.each<[unknown, RegExp]>([
    [[], /cannot be empty/],
    [undefined, /array of strings/],
    ["abc", /array of strings/],
    [[{ $ne: null }], /must be strings/],
    [[Symbol("s")], /must be strings/],
    [Array.from({ length: 1 }), /must be strings/],
    [["\uD800"], /well-formed/],
    [["a.b"], /periods/],
    [["a:b"], /colons/],
    [["a\0b"], /NUL/],
    [["a", ""], /empty/],
  ])("refuses %p", (given, message) => {
    expect(() => checkNamespace(given)).toThrow(
      expect.objectContaining({ name: "InvalidNamespaceError", message: expect.stringMatching(message) }),
    );
  });

  it("repeats no more of a namespace than a message can hold", () => {
    const given = [`${"a".repeat(1_000_000)}.`];
    expect(() => checkNamespace(given)).toThrow(
      expect.objectContaining({
        name: "InvalidNamespaceError",
        message: expect.stringMatching(/^Invalid namespace label 'a{100}.{0,1000}$/),
      }),
    );
  });

  it.each([[[]], [["a.b", "c"]], [["a:b"]], [["a\0b"]], [["a", ""]], [["a.b:c"]]])(
    "refuses %j in the words of the reference",
    (given) => {
      const refusal = (check: () => unknown): unknown => {
        try {
          return check();
        } catch (error) {
          return [(error as Error).name, (error as Error).message];
        }
      };
      expect(refusal(() => checkNamespace(given))).toEqual(refusal(() => validateNamespace(given)));
    },
  );

  it("takes the empty one only as a prefix", () => {
    expect(checkNamespace([], { allowEmpty: true })).toEqual([]);
  });
});

function compareLabels(a: string[], b: string[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (one !== other) return compareCodeUnits(one, other);
  }
  return a.length < b.length ? -1 : 0;
}

function isWithin(text: string, { $gte = "", $lt }: { $gte?: string; $lt?: string }): boolean {
  return compareBytes(text, $gte) >= 0 && ($lt === undefined || compareBytes(text, $lt) < 0);
}
