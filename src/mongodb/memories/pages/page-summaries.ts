import { RecentMap } from "../../../core/runtime/recent-map.js";

/** The files and directories of a page, without texts. */
export interface PageSummary {
  files: readonly { path: string; sizeBytes: number; lead?: string }[];
  directories: readonly string[];
}

/** How many pages a process remembers. A page has some 500 small files. */
const maxPages = 2000;

/**
 * What the pages of large memories contain, by the version of the page. So a process that knows a memory reads only
 * the pages that have changed.
 */
export class PageSummaries {
  readonly #summaries = new RecentMap<PageSummary>(maxPages);

  /** @param leadChars how much of each text the summary has at least */
  get(version: string, leadChars: number): PageSummary | undefined {
    return this.#summaries.get(`${leadChars} ${version}`);
  }

  set(version: string, leadChars: number, summary: PageSummary): void {
    this.#summaries.set(`${leadChars} ${version}`, summary);
  }
}
