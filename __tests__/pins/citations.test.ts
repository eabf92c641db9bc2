import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

/** What cites; the build, the API reference and the recordings of others do not. */
const folders = ["src", "__tests__", "bench", "tools/fuzz", "examples", "docs"];
const specification = "docs/specification";

/** Citations that lead nowhere. Comments break lines inside them. */
function unknownCitations(text: string, sections: readonly string[], decisions: readonly string[]): string[] {
  const plain = withoutLineBreaks(text);
  const cited = Array.from(plain.matchAll(/\bspecification sections? (\d+(?:(?:, | and | to )\d+)*)/gi)).flatMap(
    ([citation, numbers = ""]) =>
      (numbers.match(/\d+/g) ?? []).filter((number) => !sections.includes(number)).map(() => citation),
  );
  const decided = Array.from(plain.matchAll(/\bADR (\d+)/g)).filter(([, number = ""]) => !decisions.includes(number));
  return [...cited, ...decided.map(([citation]) => citation)];
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
  const chapters = files.filter(({ file }) => file.startsWith(`${specification}/`)).map(({ text }) => text);
  const headings = chapters.flatMap((text) => text.match(/(?<=^## )\d+(?=\. \S)/gm) ?? []);
  const decisions = readdirSync("docs/decisions").map((name) => name.slice(0, 4));

  it("have sections to name, each once and in the order of their index", () => {
    const rows = readFileSync(`${specification}.md`, "utf8").matchAll(/\| \[(\d+)\. /g);
    const listed = Array.from(rows, ([, number = ""]) => number);
    expect(listed).toEqual(Array.from(listed, (_, index) => `${index + 1}`));
    expect(headings.toSorted((a, b) => Number(a) - Number(b))).toEqual(listed);
    expect(headings.length).toBeGreaterThan(11);
  });

  it("name sections of the specification and decisions that exist", () => {
    const all = files.flatMap(({ text }) => text.match(/specification section/g) ?? []);
    expect(all.length).toBeGreaterThan(10);
    expect(
      files.flatMap(({ file, text }) =>
        unknownCitations(text, headings, decisions).map((citation) => `${file}: ${citation}`),
      ),
    ).toEqual([]);
  });

  it("say of what a section is", () => {
    const others = files.filter(({ file }) => !file.startsWith(specification));
    expect(others.flatMap(({ file, text }) => bareCitations(text).map((citation) => `${file}: ${citation}`))).toEqual(
      [],
    );
  });
});

describe("the rules themselves", () => {
  /** Without the marks that keep this file from citing what it tests with. */
  const unmarked = (text: string): string => text.replaceAll("#", "");

  it.each([
    "specification section #4",
    "Specification sections #1, #2 and #4",
    "specification\n * section #4",
    "(ADR #0004)",
  ])("find %j", (text) => {
    expect(unknownCitations(unmarked(text), ["1", "2", "3"], ["0003"])).toHaveLength(1);
  });

  it.each([
    "specification section #3",
    "specification sections #1 to #3",
    "specification\n   // section #2",
    "ADR #0003",
    "ADR memory v2",
  ])("take %j", (text) => {
    expect(unknownCitations(unmarked(text), ["1", "2", "3"], ["0003"])).toEqual([]);
    expect(bareCitations(unmarked(text))).toEqual([]);
  });

  it.each(["the specification's (section #3)", "see section #3", "Sections #3 and 4"])(
    "find a section of nothing in %j",
    (text) => {
      expect(bareCitations(unmarked(text))).toHaveLength(1);
    },
  );
});
