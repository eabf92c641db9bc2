import { describe, expect, it } from "@jest/globals";
import { searchOlderText, searchText } from "../../../src/core/history/cover-older-text.js";
import { readOlderText, wholeText } from "../../../src/core/history/older-text.js";
import { TextRedactor } from "../../../src/core/history/text-redactor.js";
import { type FileRedaction, FileTextRedaction } from "../../../src/mongodb/history/redaction/cover-file.js";
import type { Redaction } from "../../../src/mongodb/history/redaction/write-redactions.js";
import {
  type CoverMark,
  getPublicId,
  isBeingCovered,
  isTextRedacted,
  storedId,
  type VersionDocument,
} from "../../../src/mongodb/history/version-document.js";
import { doAtOnce, encodeText } from "../../helpers/at-once.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";

const mark = { at: new Date(0), by: { userId: "ada" } };

/** The versions of a file that had these texts, newest first. */
function createLineage(texts: readonly string[], isWholeAt: (index: number) => boolean): VersionDocument[] {
  return texts
    .map((text, index): VersionDocument => {
      const before = texts[index - 1];
      const older = before !== undefined && (isWholeAt(index) ? wholeText(before) : encodeText(before, text));
      return {
        _id: storedId("m", String(index + 1)),
        file: "1",
        path: "/a",
        operation: before === undefined ? "created" : "modified",
        ...(before !== undefined && { since: String(index) }),
        at: new Date(index),
        actor: null,
        ...(older && { older }),
        sizeBytes: text.length,
        sha256: "hash",
      };
    })
    .toReversed();
}

function readTexts(lineage: readonly VersionDocument[], present: string): string[] {
  const texts = [present];
  for (const { older } of lineage) if (older) texts.push(readOlderText(older, texts.at(-1) ?? ""));
  return texts;
}

function apply(lineage: readonly VersionDocument[], redactions: readonly Redaction[]): VersionDocument[] {
  return lineage.map((version) => {
    const own = redactions.filter(({ id }) => id === getPublicId(version));
    return own.reduce<VersionDocument>((changed, { set, found, covering }) => {
      if (found !== undefined) expect(changed.older ?? null).toEqual(found);
      return { ...changed, ...set, ...(covering && { covering: [...(changed.covering ?? []), covering] }) };
    }, version);
  });
}

/** Plans all parts at once, in the order in which they are done. */
function plan(
  lineage: readonly VersionDocument[],
  present: string,
  redactor: TextRedactor,
  atOnce?: number,
): FileRedaction & { servedMarks: readonly CoverMark[] } {
  const file = new FileTextRedaction({ redactor, mark, present, ...(atOnce && { atOnce }) });
  const parts = [...lineage.flatMap((version) => [...file.add(version)]), ...file.end()];
  return {
    versions: parts.flatMap((part) => (part ? part.versions : [])),
    redactions: parts.flatMap((part) => (part ? part.redactions : [])),
    servedMarks: file.servedMarks,
  };
}

/** Covers a text in all versions, and removes the marks that have served. */
function redact(lineage: readonly VersionDocument[], present: string, redactor: TextRedactor): VersionDocument[] {
  const covered = apply(lineage, plan(lineage, present, redactor).redactions);
  const served = plan(covered, present, redactor).servedMarks.map((each) => JSON.stringify(each));
  return covered.map(({ covering = [], ...version }) => ({
    ...version,
    covering: covering.filter((each) => !served.includes(JSON.stringify(each))),
  }));
}

const cover = (redactor: TextRedactor, text: string): string => doAtOnce(redactor.cover(text));

const piece = fc.constantFrom(
  "a",
  "an",
  "xa",
  "key",
  "sk-1",
  "sk-12",
  "sk-",
  "1",
  "2",
  "\n",
  "*",
  "[redacted]",
  "é",
  "line of text\n",
);
const someText = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
const someSecret = fc.constantFrom(
  "aa",
  "ana",
  "an",
  "sk-12",
  "sk-1",
  "key",
  "1",
  "*",
  "[redacted]",
  "line of text\n",
  "key\nline of text",
);
/** A text, and what becomes of it in small steps, so that most of each text is shared with the next one. */
const someTexts = fc
  .tuple(
    someText,
    fc.array(fc.tuple(fc.nat(20), fc.nat(2), fc.oneof(piece, fc.constant(""))), { minLength: 1, maxLength: 6 }),
  )
  .map(([first, edits]) =>
    edits.reduce(
      (texts, [place, count, added]) => {
        const last = texts.at(-1) ?? "";
        const start = place % (last.length + 1);
        return [...texts, last.slice(0, start) + added + last.slice(start + count)];
      },
      [first],
    ),
  );
const someHistory = fc.record({
  texts: fc.oneof(fc.array(someText, { minLength: 1, maxLength: 6 }), someTexts),
  present: someText,
  secret: someSecret,
  whole: fc.nat(7),
  done: fc.nat(8),
  atOnce: fc.integer({ min: 1, max: 4 }),
});

describe("a text that is redacted in the versions of a file", () => {
  it("is covered in all of them, and everything else stays", () => {
    assertProperty(
      fc.property(someHistory, ({ texts, present, secret, whole, atOnce }) => {
        const redactor = new TextRedactor(secret);
        const now = cover(redactor, present);
        const all = [...texts, now];
        const lineage = createLineage(all, (index) => index === whole);
        const { versions, redactions } = plan(lineage, now, redactor, atOnce);
        const after = apply(lineage, redactions);
        expect(readTexts(after, now)).toEqual(all.map((text) => cover(redactor, text)).toReversed());
        expect(JSON.stringify(after.map(({ older }) => older?.text))).not.toContain(
          JSON.stringify(secret).slice(1, -1),
        );
        const held = all.flatMap((text, index) => (text.includes(secret) ? [String(index + 1)] : [])).toReversed();
        expect(versions.map(getPublicId)).toEqual(held);
        expect(plan(after, now, redactor).redactions).toEqual([]);
      }),
      { usual: 300, long: 10_000 },
    );
  });

  it("can be read whole without a mark, or not at all, wherever the call ended", () => {
    assertProperty(
      fc.property(someHistory, ({ texts, present, secret, whole, done, atOnce }) => {
        const redactor = new TextRedactor(secret);
        const now = cover(redactor, present);
        const lineage = createLineage([...texts, now], (index) => index === whole);
        const half = apply(lineage, plan(lineage, now, redactor, atOnce).redactions.slice(0, done));
        const [old, read] = [readTexts(lineage, now), readTexts(half, now)];
        for (const [index, version] of half.entries()) {
          if (version.redactedAt === undefined) expect(read[index]).toBe(old[index]);
          else expect(isTextRedacted(version)).toBe(true);
          if (!isBeingCovered(version)) expect(read[index + 1]).toBe(old[index + 1]);
        }
      }),
      { usual: 300, long: 10_000 },
    );
  });

  it("is covered by a second call where the first one ended in the middle", () => {
    assertProperty(
      fc.property(someHistory, ({ texts, present, secret, whole, done, atOnce }) => {
        const redactor = new TextRedactor(secret);
        const now = cover(redactor, present);
        const all = [...texts, now];
        const lineage = createLineage(all, (index) => index === whole);
        const half = apply(lineage, plan(lineage, now, redactor, atOnce).redactions.slice(0, done));
        // No occurrence is covered in part.
        const inBetween = readTexts(half, now).map((text) => cover(redactor, text));
        expect(inBetween).toEqual(all.map((text) => cover(redactor, text)).toReversed());
        const after = apply(half, plan(half, now, redactor).redactions);
        expect(readTexts(after, now)).toEqual(all.map((text) => cover(redactor, text)).toReversed());
      }),
      { usual: 300, long: 10_000 },
    );
  });
});

describe("two texts with the same cover", () => {
  const [one, other] = [new TextRedactor("sk-1"), new TextRedactor("sk-2")];

  it("are covered whole or not at all in what can be read, where one of two redactions ended in the middle", () => {
    assertProperty(
      fc.property(someHistory, ({ texts, present, whole, done, atOnce }) => {
        const withBoth = [...texts, present].map((text) => text.replaceAll("an", "sk-2"));
        const now = cover(other, cover(one, withBoth.at(-1) ?? ""));
        const all = [...withBoth.slice(0, -1), now];
        const lineage = createLineage(all, (index) => index === whole);
        const half = apply(lineage, plan(lineage, now, one, atOnce).redactions.slice(0, done));

        const between = redact(half, now, other);
        const allowed = all.map((text) => [cover(other, text), cover(other, cover(one, text))]).toReversed();
        const read = readTexts(between, now);
        for (const [index, version] of between.entries())
          if (!isTextRedacted(version)) expect(allowed[index]).toContain(read[index]);

        const after = redact(between, now, one);
        expect(readTexts(after, now)).toEqual(allowed.map(([, covered]) => covered));
        expect(after.filter(isBeingCovered)).toEqual([]);
      }),
      { usual: 300, long: 10_000 },
    );
  });
});

describe("a text that is redacted in an older text", () => {
  it("is found where it is, by what the newer text shares with it", () => {
    assertProperty(
      fc.property(someTexts, someSecret, (texts, secret) => {
        const redactor = new TextRedactor(secret);
        let newer = doAtOnce(searchText(texts.at(-1) ?? "", redactor));
        for (const text of texts.toReversed().slice(1)) {
          newer = doAtOnce(searchOlderText(encodeText(text, newer.text), newer, redactor));
          expect(newer).toEqual(doAtOnce(searchText(text, redactor)));
        }
      }),
      { usual: 600, long: 20_000 },
    );
  });
});

describe("the cover of a text", () => {
  it("is as long as the text, and lets it arise nowhere again", () => {
    const texts = fc.array(fc.constantFrom("a", "b", "[", "]", "-", "*", "redacted"), { minLength: 1, maxLength: 12 });
    assertProperty(
      fc.property(texts, texts, (parts, secretParts) => {
        const [text, secret] = [parts.join(""), secretParts.join("")];
        const covered = cover(new TextRedactor(secret), `${secret}${text}${secret}${secret}`);
        expect(covered).toHaveLength(text.length + 3 * secret.length);
        expect(covered.includes(secret)).toBe(false);
      }),
      { usual: 300, long: 10_000 },
    );
  });

  it("is made in short steps where a text stands everywhere", () => {
    expect([...new TextRedactor("a").cover("ab".repeat(100_000))].length).toBeGreaterThanOrEqual(20);
  });
});
