import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { layoutNames } from "../../src/mongodb/memories/layouts.js";
import { beforeAll, describe, expect, it } from "@jest/globals";

interface SourceFile {
  path: string;
  text: string;
}

const layout = layoutNames.join("|");
const layoutFolder = new RegExp(`^src/mongodb/memories/(?:${layout})/`);
/** From outside and from inside `mongodb/memories`. */
const fromLayout = new RegExp(`(?:from |import[(])"[^"]*/memories/(?:${layout})/`);
const fromLayoutBeside = new RegExp(`from "[.]{1,2}/(?:${layout})/`);
const listOfLayouts = "src/mongodb/memories/layouts.ts";

/**
 * The fields of a memory's document: as an expression or a name in quotes, or as the name of a field. `$meta:` is an
 * operator.
 */
const documentField = /["'`]\$?(?:data|dirs|meta)["'`.]|(?<![$\w])(?:data|dirs|meta)\??:/;
const earlierFormat = /\blegacy\b|\bearlier (?:format|layout|system)\b/i;

function importsLayout({ path, text }: SourceFile): boolean {
  if (path === listOfLayouts || layoutFolder.test(path)) return false;
  return fromLayout.test(text) || (path.startsWith("src/mongodb/memories/") && fromLayoutBeside.test(text));
}

/**
 * Of a file outside the folders of layouts. The command line tells people of the earlier format, by its command of that
 * name.
 */
function namesDocument({ path, text }: SourceFile): boolean {
  if (layoutFolder.test(path)) return false;
  const isOfMongodb = path.startsWith("src/mongodb/");
  return isOfMongodb && (documentField.test(text) || earlierFormat.test(text));
}

describe("the layouts of memories", () => {
  let files: SourceFile[] = [];

  beforeAll(async () => {
    const paths = (await readdir("src", { recursive: true }))
      .filter((path) => path.endsWith(".ts"))
      .map((path) => join("src", path));
    files = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, "utf8") })));
  });

  const pathsWhere = (rule: (file: SourceFile) => boolean): string[] => files.filter(rule).map(({ path }) => path);

  it("are all seen", () => {
    expect(pathsWhere(({ path }) => layoutFolder.test(path)).length).toBeGreaterThan(10);
    expect(
      pathsWhere(({ path, text }) => layoutFolder.test(path) && documentField.test(text) && earlierFormat.test(text)),
    ).not.toEqual([]);
  });

  it("are known to their list only", () => {
    expect(pathsWhere(importsLayout)).toEqual([]);
  });

  it("alone name the fields of their documents, and the earlier format", () => {
    expect(pathsWhere(namesDocument)).toEqual([]);
  });
});

describe("the rules themselves", () => {
  it.each([
    [importsLayout, "src/mongodb/store/a.ts", 'import { keyOf } from "../memories/document/document.js";'],
    [importsLayout, "src/mongodb/memories/file-items.ts", 'import { keyOf } from "./document/document.js";'],
    [importsLayout, "src/cli/a.ts", 'await import("../mongodb/memories/document/document.js")'],
    [namesDocument, "src/mongodb/store/a.ts", 'valueAt("$data", key)'],
    [namesDocument, "src/mongodb/store/a.ts", '{ $match: { "data.a": 1 } }'],
    [namesDocument, "src/mongodb/admin/a.ts", "interface A { dirs?: object }"],
    [namesDocument, "src/mongodb/admin/a.ts", "/** Documents of the earlier system. */"],
  ])("%p finds in %s %s", (rule, path, text) => {
    expect(rule({ path, text })).toBe(true);
  });

  it.each([
    [importsLayout, listOfLayouts, 'import { DocumentLayout } from "./document/document-layout.js";'],
    [importsLayout, "src/mongodb/store/a.ts", 'import type { MemoryLayout } from "../memories/layout.js";'],
    [namesDocument, "src/mongodb/memories/document/a.ts", 'valueAt("$data", key)'],
    [namesDocument, "src/mongodb/search/a.ts", '{ $meta: "textScore" }'],
  ])("%p lets pass in %s %s", (rule, path, text) => {
    expect(rule({ path, text })).toBe(false);
  });
});
