import { describe, expect, it } from "@jest/globals";
import { addressFor, memoryScopes } from "../../../../src/core/values/address.js";
import { anyCharacter } from "../../../helpers/any-character.js";
import fc from "../../../helpers/fast-check.js";
import { randomPaths } from "../../../helpers/random-paths.js";
import {
  compareKeys,
  getEndBelow,
  getOrderKey,
  getPathAt,
  getStartBelow,
} from "../../../../src/mongodb/memories/documents/page-order.js";
import {
  createPageId,
  getAddressKey,
  getAddressRange,
  getHeadId,
  getPagesRange,
  parsePageId,
} from "../../../../src/mongodb/memories/documents/page-ids.js";

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
const isIn = (id: string, range: { $gte: string; $lt: string }): boolean => isWithin(id, range.$gte, range.$lt);

describe("the ids of pages", () => {
  it("are never those of another address, even if letters and control characters do not count", () => {
    fc.assert(
      fc.property(addresses, addresses, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(getAddressKey(one) === getAddressKey(other)).toBe(isSame);
        expect(fold(getHeadId(one)) === fold(getHeadId(other))).toBe(isSame);
        expect(isIn(createPageId(getHeadId(other), incarnation), getAddressRange(one))).toBe(isSame);
        expect(isIn(createPageId(getHeadId(other), incarnation), getPagesRange(getHeadId(one), incarnation))).toBe(
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
        expect([isIn(head, getAddressRange(address)), isIn(page, getAddressRange(address))]).toEqual([true, true]);
        expect(isIn(page, getPagesRange(getHeadId(address), incarnation))).toBe(true);
        expect(isIn(head, getPagesRange(getHeadId(address), incarnation))).toBe(false);
        expect(isIn(page, getPagesRange(getHeadId(address), incarnation.replace("7", "8")))).toBe(false);
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
