import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

/** What cites; the build, the API reference and the recordings of others do not. */
const folders = ["src", "__tests__", "bench", "tools/fuzz", "examples", "docs"];
const specification = "docs/specification.md";

/** The numbers that can be cited. */
interface Cited {
  sections: readonly string[];
  decisions: readonly string[];
  invariants: readonly string[];
}

/** Citations that lead nowhere. Comments break lines inside them. */
function unknownCitations(text: string, { sections, decisions, invariants }: Cited): string[] {
  const plain = withoutLineBreaks(text);
  const find = (citations: RegExp, known: readonly string[]): string[] =>
    Array.from(plain.matchAll(citations)).flatMap(([citation, numbers = ""]) =>
      (numbers.match(/\d+/g) ?? []).filter((number) => !known.includes(String(Number(number)))).map(() => citation),
    );
  return [
    ...find(/\bspecification sections? (\d+(?:(?:, | and | to )\d+)*)/gi, sections),
    ...find(/\b(?:ADR|decisions?) (\d+(?:(?:, | and )\d+)*)/gi, decisions),
    ...find(/\barchitecture invariants? (\d+(?:(?:, | and )\d+)*)/gi, invariants),
  ];
}

/** Sections of nobody knows what. */
function bareCitations(text: string): string[] {
  return withoutLineBreaks(text).match(/(?<!\bspecification )\bsections? \d+/gi) ?? [];
}

function withoutLineBreaks(text: string): string {
  return text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, " ");
}

function citingFiles(): string[] {
  const names = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return names.filter((name) => /\.(?:ts|js|md)$/.test(name) && !/^docs\/api\/|\/(?:dist|node_modules)\//.test(name));
}

describe("citations", () => {
  const files = citingFiles().map((file) => ({ file, text: readFileSync(file, "utf8") }));
  const sections = readFileSync(specification, "utf8").match(/(?<=^## )\d+(?=\. \S)/gm) ?? [];
  const decisions = readdirSync("docs/decisions").flatMap((name) => /^\d+/.exec(name)?.map(Number).map(String) ?? []);
  const [, listed = ""] = readFileSync("docs/architecture.md", "utf8").split(/^## The invariants .*$/m);
  const invariants = listed.split(/^## /m)[0]?.match(/^\d+(?=\. )/gm) ?? [];
  const isInOrder = (numbers: readonly string[]): boolean =>
    numbers.every((number, index) => number === `${index + 1}`);

  it("have sections and invariants to name, in their order, and decisions", () => {
    expect([sections, invariants].map(isInOrder)).toEqual([true, true]);
    expect([sections, invariants, decisions].every(({ length }) => length >= 10)).toBe(true);
  });

  it("name sections of the specification, decisions and invariants that exist", () => {
    const all = files.flatMap(
      ({ text }) => text.match(/specification section|ADR \d|architecture invariant \d/g) ?? [],
    );
    expect(all.length).toBeGreaterThan(20);
    expect(
      files.flatMap(({ file, text }) =>
        unknownCitations(text, { sections, decisions, invariants }).map((citation) => `${file}: ${citation}`),
      ),
    ).toEqual([]);
  });

  it("say of what a section is", () => {
    const others = files.filter(({ file }) => file !== specification);
    expect(others.flatMap(({ file, text }) => bareCitations(text).map((citation) => `${file}: ${citation}`))).toEqual(
      [],
    );
  });
});

describe("the rules themselves", () => {
  /** Without the marks that keep this file from citing what it tests with. */
  const unmarked = (text: string): string => text.replaceAll("#", "");
  const known = { sections: ["1", "2", "3"], decisions: ["3"], invariants: ["4"] };

  it.each([
    "specification section #4",
    "Specification sections #1, #2 and #4",
    "specification\n * section #4",
    "(ADR #0004)",
    "decisions #3 and 4",
    "(architecture\n * invariant #5)",
  ])("find %j", (text) => {
    expect(unknownCitations(unmarked(text), known)).toHaveLength(1);
  });

  it.each([
    "specification section #3",
    "specification sections #1 to #3",
    "specification\n   // section #2",
    "ADR #0003",
    "ADR memory v2",
    "architecture invariant #4",
  ])("take %j", (text) => {
    expect(unknownCitations(unmarked(text), known)).toEqual([]);
    expect(bareCitations(unmarked(text))).toEqual([]);
  });

  it.each(["the specification's (section #3)", "see section #3", "Sections #3 and 4"])(
    "find a section of nothing in %j",
    (text) => {
      expect(bareCitations(unmarked(text))).toHaveLength(1);
    },
  );
});
