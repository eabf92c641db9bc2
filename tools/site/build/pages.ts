import { existsSync, readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { plain, readOutline, type OutlinePage, type OutlineSection } from "./outline.js";

/** A page of the site. */
export interface SitePage extends OutlinePage {
  /** The Markdown file in the site, such as `cookbook/webhooks.md`. */
  path: string;
}

export interface SiteSection {
  title: string;
  pages: SitePage[];
}

/** The page that begins the documentation. */
export const startPage = "docs/README.md";

/** The front page, which only the site has. */
export const homePage = "tools/site/home.md";

/**
 * Lists the pages of the site, except the API reference: those of the index, section by section, and those beside the
 * documentation that its pages lead to.
 */
export function listPages(): SiteSection[] {
  const sections: OutlineSection[] = [
    ...readOutline(),
    { title: "Examples", pages: examplePages() },
    { title: "Measurements", pages: measurementPages() },
    { title: "Project", pages: projectPages() },
  ];
  return sections.map(({ title, pages }) => ({
    title,
    pages: pages.map((page) => ({ ...page, path: sitePath(page.source) })),
  }));
}

/** Where a Markdown file of the project is in the site. The folder `docs` is the root, which has another `security.md`. */
export function sitePath(source: string): string {
  if (source === homePage) return "index.md";
  if (source === startPage) return "documentation.md";
  if (!source.includes("/") || source.startsWith(".github/")) return `project/${posix.basename(source).toLowerCase()}`;
  return source.replace(/^docs\//, "").replace(/(?:README|RESULTS)\.md$/, "index.md");
}

export function titleOf(markdown: string): string {
  return plain(/^# (.+)$/m.exec(markdown)?.[1] ?? "");
}

function pageOf(source: string, about = ""): OutlinePage {
  return { source, title: titleOf(readFileSync(source, "utf8")), about };
}

/** The examples in the order of `examples/README.md`, whose table says what each shows. */
function examplePages(): OutlinePage[] {
  const index = "examples/README.md";
  const rows = readFileSync(index, "utf8").matchAll(/^\| \[`?([^\]`]+)`?\]\(([^)]+)\) \| (.+) \|$/gm);
  const examples = Array.from(rows, ([, title = "", folder = "", about = ""]) => ({
    source: `examples/${folder.replace(/\/$/, "")}/README.md`,
    title,
    about: plain(about),
  }));
  return [pageOf(index, "programs that you can copy and run"), ...examples];
}

function measurementPages(): OutlinePage[] {
  const folders = readdirSync("bench", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ["bench", ...folders.map(({ name }) => `bench/${name}`)]
    .map((folder) => `${folder}/RESULTS.md`)
    .filter((source) => existsSync(source))
    .map((source) => pageOf(source));
}

function projectPages(): OutlinePage[] {
  const about = {
    "CHANGELOG.md": "what has changed in each version",
    ".github/SECURITY.md": "how to report a weakness",
    ".github/CONTRIBUTING.md": "for people who change the package",
  };
  return Object.entries(about)
    .filter(([source]) => existsSync(source))
    .map(([source, text]) => pageOf(source, text));
}
