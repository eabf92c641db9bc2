import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** A page of the index `docs/README.md`, in its order. */
export interface OutlinePage {
  /** The Markdown file, from the folder of the project. */
  source: string;
  title: string;
  /** The description of the page in the index. Empty for a decision, because its title says enough. */
  about: string;
}

export interface OutlineSection {
  title: string;
  pages: OutlinePage[];
}

export const indexPage = "docs/README.md";
const decisionsPage = "docs/decisions/README.md";

/** Reads the sections of the index, in which a row of a table is a page. The decisions are one more section. */
export function readOutline(): OutlineSection[] {
  const parts = readFileSync(indexPage, "utf8").split(/^## /m).slice(1);
  const sections = parts.map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return { title: title.trim(), pages: readPages(lines, indexPage) };
  });
  return [...sections, { title: "Decisions", pages: readDecisions() }].filter(({ pages }) => pages.length > 0);
}

function readDecisions(): OutlinePage[] {
  const index = { source: decisionsPage, title: "Decisions", about: "the reasons for how the package works" };
  return [index, ...readPages(readFileSync(decisionsPage, "utf8").split("\n"), decisionsPage)];
}

function readPages(lines: readonly string[], index: string): OutlinePage[] {
  return lines.flatMap((line) => {
    const [, title = "", link = "", about = ""] =
      /^(?:\| |- )\[(.+?)\]\(([^)]+\.md)\)(?: \| (.+) \|)?\s*$/.exec(line) ?? [];
    if (link === "") return [];
    return [{ source: posix.join(posix.dirname(index), link), title: plain(title), about: plain(about) }];
  });
}

/** Removes the Markdown of a short text. */
export function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/[`*]/g, "");
}
