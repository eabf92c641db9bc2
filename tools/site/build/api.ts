import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SitePage, SiteSection } from "./pages.js";
import { titleOf } from "./pages.js";
import { plain } from "./outline.js";
import { run } from "./run-command.js";

const folder = "tools/site/.pages/api";

/** Writes the API reference as Markdown into the folder that VitePress reads. */
export function writeApi(): Promise<void> {
  return run("node", [
    "node_modules/typedoc/bin/typedoc",
    "--options",
    "tools/site/typedoc.config.js",
    "--logLevel",
    "Warn",
  ]);
}

/** Lists the pages of the API reference: the index, and a section for each entry of the package. */
export function apiSections(): SiteSection[] {
  const modules = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  // The main entry first.
  const names = modules.map(({ name }) => name).toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  return [
    { title: "API reference", pages: [apiPage("index.md")] },
    ...names.map((name) => {
      const pages = membersOf(name).map(apiPage);
      const entry = apiPage(`${name}/index.md`);
      return { title: entry.title, pages: [entry, ...pages] };
    }),
  ];
}

function rank(name: string): number {
  return name === "index" ? 0 : 1;
}

function membersOf(name: string): string[] {
  return ["classes", "functions", "interfaces", "type-aliases", "variables"].flatMap((kind) =>
    readdirSync(folder).includes(name) && readdirSync(join(folder, name)).includes(kind)
      ? readdirSync(join(folder, name, kind)).map((file) => `${name}/${kind}/${file}`)
      : [],
  );
}

function apiPage(path: string): SitePage {
  const text = readFileSync(join(folder, path), "utf8");
  return { source: "", path: `api/${path}`, title: titleOf(text).replace(/\(\)$/, ""), about: summaryOf(text) };
}

/** The first sentence of the description, which stands below the title or below the signature. */
function summaryOf(markdown: string): string {
  const withoutCode = markdown.replaceAll(/^```[^]*?^```/gm, "");
  const paragraph = /^(?:[A-Z`][^\n]*\n?)+/m.exec(withoutCode)?.[0] ?? "";
  return (
    plain(paragraph.replaceAll("\n", " "))
      .split(/(?<=\.) /)[0]
      ?.trim() ?? ""
  );
}
