import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { requirements } from "../requirements.js";

interface Citation {
  id: string;
  /** Of the comment, as `file:line`. */
  place: string;
  isAboveTest: boolean;
}

/** Lines after a comment up to a test, or up to a case of the published suites: an object with an id or a title. */
const testBelow =
  /^(?: *\/\/ Requirement: .*\n)* *(?:(?:it|test)(?:\.each)?[(<]|filterCase\(|(?:\{\n *)?(?:id|title): )/;

function citationsIn(file: string, text: string): Citation[] {
  return Array.from(text.matchAll(/^ *\/\/ Requirement: (.*)\n/gm)).flatMap(({ 0: comment, 1: ids = "", index }) => {
    const place = `${file}:${text.slice(0, index).split("\n").length}`;
    const isAboveTest = testBelow.test(text.slice(index + comment.length));
    return ids.split(", ").map((id) => ({ id, place, isAboveTest }));
  });
}

function uncited(ids: readonly string[], citations: readonly Citation[]): string[] {
  const cited = new Set(citations.map(({ id }) => id));
  return ids.filter((id) => !cited.has(id));
}

function unknown(ids: readonly string[], citations: readonly Citation[]): string[] {
  return citations.filter(({ id }) => !ids.includes(id)).map(({ id, place }) => `${place} ${id}`);
}

function dangling(citations: readonly Citation[]): string[] {
  return citations.filter(({ isAboveTest }) => !isAboveTest).map(({ id, place }) => `${place} ${id}`);
}

async function findCitations(folder: string): Promise<Citation[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const found = files.map(async (file) => citationsIn(join(folder, file), await readFile(join(folder, file), "utf8")));
  return (await Promise.all(found)).flat();
}

describe("the requirements", () => {
  const ids = Object.values(requirements).flatMap((area) => Object.keys(area));
  let citations: Citation[] = [];

  beforeAll(async () => {
    citations = (await Promise.all(["__tests__", "src/testing"].map(findCitations))).flat();
  });

  it("have ids that begin with their area", () => {
    const misnamed = Object.entries(requirements).flatMap(([area, table]) =>
      Object.keys(table).filter((id) => !new RegExp(`^${area}\\.[a-z0-9]+(-[a-z0-9]+)*$`).test(id)),
    );
    expect(misnamed).toEqual([]);
    expect(ids.length).toBeGreaterThan(400);
  });

  it("are each shown by a test", () => {
    expect(uncited(ids, citations)).toEqual([]);
  });

  it("are all that tests claim to show", () => {
    expect(unknown(ids, citations)).toEqual([]);
  });

  it("are claimed by tests only", () => {
    expect(dangling(citations)).toEqual([]);
  });
});

describe("the check itself", () => {
  const found = (code: string): Citation[] => citationsIn("a.ts", `// Requirement: a.b, a.c\n${code}\n`);

  it("finds an id that no test shows, and one that is none", () => {
    expect(uncited(["a.b", "a.c", "a.d"], found("it("))).toEqual(["a.d"]);
    expect(unknown(["a.b"], found("it("))).toEqual(["a.ts:1 a.c"]);
  });

  it.each([
    "it(",
    "it.each([",
    "it.each<string>([",
    "  // Requirement: a.d\n  it(",
    "  {\n    title: ",
    '  {\n    id: "x"',
    "filterCase(",
  ])("takes a comment above %j", (code) => {
    expect(dangling(found(code))).toEqual([]);
  });

  it.each(["", "\nit(", "it.skip(", "// it(", "describe(", "const it = 1;", "// Requirement: a.d\n// why\nit("])(
    "refuses a comment above %j",
    (code) => {
      expect(dangling(found(code)).slice(0, 2)).toEqual(["a.ts:1 a.b", "a.ts:1 a.c"]);
    },
  );
});
