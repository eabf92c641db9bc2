import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** A page of the index `docs/pages.md`, in its order. */
export interface OutlinePage {
  /** The Markdown file, from the folder of the project. */
  source: string;
  title: string;
  /** The description of the page in the index. */
  about: string;
}

export interface OutlineSection {
  title: string;
  pages: OutlinePage[];
}

export const indexPage = "docs/pages.md";

/** The section of the index with the pages that only the repository has. */
const repositorySection = "In the repository";

/** Reads the sections of the index, in which a row of a table is a page. */
export function readOutline(): OutlineSection[] {
  const parts = readFileSync(indexPage, "utf8").split(/^## /m).slice(1);
  const sections = parts.map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return { title: title.trim(), pages: readPages(lines, indexPage) };
  });
  return sections.filter(({ title, pages }) => title !== repositorySection && pages.length > 0);
}

function readPages(lines: readonly string[], index: string): OutlinePage[] {
  return lines.flatMap((line) => {
    const [, title = "", link = "", about = ""] = /^\| \[(.+?)\]\(([^)]+\.md)\) \| ([^|]+?) \|/.exec(line) ?? [];
    if (link === "") return [];
    return [{ source: posix.join(posix.dirname(index), link), title: plain(title), about: plain(about) }];
  });
}

/** Removes the Markdown of a short text. */
export function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/[`*]/g, "");
}
