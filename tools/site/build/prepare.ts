import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiSections } from "./api.js";
import { siteLinks } from "./links.js";
import { agentIndex, agentText } from "./llms.js";
import { homePage, listPages, sitePath, startPage, type SitePage, type SiteSection } from "./pages.js";
import { indexPage } from "./outline.js";
import { readProject } from "./project.js";

/** The folder that VitePress reads. */
export const staged = "tools/site/.pages";

/** What `.vitepress/config.ts` reads. */
export interface SiteData {
  project: ReturnType<typeof readProject>;
  sections: SiteSection[];
  api: SiteSection[];
}

/**
 * Copies all pages into one folder, with links that hold in the site, and writes the Markdown for programs. The API
 * reference is in that folder already.
 */
export function preparePages(base: string): void {
  const project = readProject();
  const sections = listPages();
  const front: SitePage = { source: homePage, path: sitePath(homePage), title: project.name, about: "" };
  const start: SitePage = {
    source: startPage,
    path: sitePath(startPage),
    title: "Documentation",
    about: "where to begin",
  };
  const index: SitePage = {
    source: indexPage,
    path: sitePath(indexPage),
    title: "All pages",
    about: "all pages, and who reads them",
  };
  const pages = [front, start, index, ...sections.flatMap((section) => section.pages)];
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  const twice = pages.find(({ source, path }) => pages.some((other) => other.path === path && other.source !== source));
  if (twice !== undefined) throw new Error(`Two pages would be ${twice.path}, one of them ${twice.source}`);
  for (const page of pages) {
    const text = siteLinks(sourceText(page), page.source, page.path, { project, paths });
    write(join(staged, page.path), page === front ? text : frontMatter(page) + text);
    writeForPrograms(page.path, page === front ? homeText(text) : text);
  }
  const api = apiSections();
  for (const { path } of api.flatMap((section) => section.pages))
    writeForPrograms(path, readFileSync(join(staged, path), "utf8"));
  cpSync("tools/site/logo.svg", `${staged}/public/logo.svg`);
  for (const folder of [`${staged}/images`, `${staged}/public/images`])
    cpSync("docs/images", folder, { recursive: true, filter: (file) => !file.endsWith(".txt") });
  const all = [{ title: "Overview", pages: [front, start, index] }, ...sections];
  write(`${staged}/public/llms.txt`, agentIndex(project, [...all, ...api], base));
  write(
    `${staged}/public/llms-full.txt`,
    agentText(project, all, (path) => join(staged, "public", path)),
  );
  write(`${staged}/site.json`, JSON.stringify({ project, sections, api } satisfies SiteData));
}

/** The program of the front page is that of the README, whose code the tests of the documentation compile. */
function sourceText({ source }: SitePage): string {
  const text = readFileSync(source, "utf8");
  if (source !== homePage) return text;
  const [program = ""] = /^```ts\n[^]*?^```$/m.exec(readFileSync("README.md", "utf8")) ?? [];
  return text.replace("<!-- the first program of README.md -->", () => program);
}

/** Removes what an earlier build has left. */
export function clearPages(): void {
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
}

/** The description is what search engines show. The changes of pages are for people who look at the sources. */
function frontMatter({ title, about }: SitePage): string {
  return `---\ntitle: ${JSON.stringify(title)}\n${about === "" ? "" : `description: ${JSON.stringify(about)}\n`}---\n\n`;
}

/** A page as Markdown, at the page's own address with `.md`. It names the index first, for agents that come by a link. */
function writeForPrograms(path: string, markdown: string): void {
  const up = "../".repeat(path.split("/").length - 1);
  write(`${staged}/public/${path}`, `> All pages: [llms.txt](${up}llms.txt)\n\n${markdown}`);
}

/** The front page is made of front matter, and its Markdown begins below it. */
function homeText(markdown: string): string {
  return markdown.replace(/^---\n[^]*?\n---\n+/, "");
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
