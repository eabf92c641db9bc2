import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** A page of the index `docs/README.md`, in its order. */
export interface OutlinePage {
  /** The Markdown file, from the folder of the project. */
  source: string;
  title: string;
  /** What the index says about the page. Empty for a decision, whose title says it. */
  about: string;
}

export interface OutlineSection {
  title: string;
  pages: OutlinePage[];
}

export const indexPage = "docs/README.md";

/** Reads the sections of the index: a heading begins a section, and a row of a table or a numbered line is a page. */
export function readOutline(): OutlineSection[] {
  const parts = readFileSync(indexPage, "utf8").split(/^## /m).slice(1);
  return parts
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return { title: title.trim(), pages: lines.flatMap(pageOfLine) };
    })
    .filter(({ pages }) => pages.length > 0);
}

function pageOfLine(line: string): OutlinePage[] {
  const [, title = "", link = "", about = ""] =
    /^(?:\| |\d+\. )\[(.+?)\]\(([^)]+\.md)\)(?: \| (.+) \|)?\s*$/.exec(line) ?? [];
  if (link === "") return [];
  return [{ source: posix.join(posix.dirname(indexPage), link), title: plain(title), about: plain(about) }];
}

/** Removes the Markdown of a short text. */
export function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/[`*]/g, "");
}
