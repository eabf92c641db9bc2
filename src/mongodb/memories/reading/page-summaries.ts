import { RecentMap } from "../../../core/runtime/recent-map.js";
import type { OutlineFile, OutlineOptions } from "../../../core/memory.js";
import {
  totalTextBytes,
  entriesWhere,
  type Expression,
  mapEntries,
  orEmpty,
  textBytes,
  textOrNull,
  where,
} from "../documents/expressions.js";
import { type MemoryDocument, ownValue, pathOfKey } from "../documents/page-document.js";

/** The files and directories of a page, without texts. */
export interface PageSummary {
  files: readonly { path: string; sizeBytes: number; lead?: string }[];
  directories: readonly string[];
}

/** The most pages that a process remembers. A page has some 500 small files. */
const maxPages = 2000;

/**
 * Summaries of the pages of large memories, by the version of the page. So a process that knows a memory reads only the
 * pages that have changed.
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

/** The result of the projection. */
export interface OutlinedPage extends Pick<MemoryDocument, "_id"> {
  files: { key: string; sizeBytes: number; lead?: string }[];
  directories: string[];
}

/** Projects the paths and sizes of a page, with the start of each text, and the texts if they are small together. */
export function outlineProjection({
  maxContentBytes,
  leadChars,
}: Pick<Required<OutlineOptions>, "maxContentBytes" | "leadChars">): Record<string, Expression> {
  const entries = entriesWhere("$data", true);
  const entryBytes = textBytes(textOrNull("$$entry.v"));
  const withContents: Record<string, Expression> =
    maxContentBytes > 0 ? { data: where({ $lte: [totalTextBytes, maxContentBytes] }, "$data", "$$REMOVE") } : {};
  // A code point is one or two UTF-16 units.
  const lead: Record<string, Expression> =
    leadChars > 0 ? { lead: { $substrCP: [textOrNull("$$entry.v"), 0, leadChars] } } : {};
  return {
    files: mapEntries(entries, { key: "$$entry.k", sizeBytes: entryBytes, ...lead }),
    directories: mapEntries({ $objectToArray: orEmpty("$dirs") }, "$$entry.k"),
    ...withContents,
  };
}

/** @param data the texts by key, if they were returned */
export function toSummary(
  { files, directories }: OutlinedPage,
  data: Record<string, string> | undefined,
): { files: OutlineFile[]; directories: string[] } {
  return {
    files: files.map(({ key, sizeBytes, lead }) => {
      const file: OutlineFile = { path: pathOfKey(key), sizeBytes };
      const content = ownValue(data, key);
      if (lead !== undefined) file.lead = lead;
      if (content !== undefined) file.content = content;
      return file;
    }),
    directories: directories.map(pathOfKey),
  };
}
