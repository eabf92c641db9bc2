import type { OutlineFile } from "../core/memory.js";
import { readFrontMatter } from "../core/search/front-matter.js";
import type { Steps } from "../core/runtime/time-slices.js";
import { shorten } from "../core/values/text.js";
import { readDescriptionField } from "./front-matter.js";

/** The number of characters of each text that are read for its description. */
export const leadChars = 500;

const maxDescriptionChars = 120;

/** Length of the shortest line of a file, with its line end: `/a (1 byte)`. */
const minLineChars = 12;

/** Whether a list of the names of these files can fit. Otherwise their descriptions need not be read. */
export function mayListNames(files: readonly OutlineFile[], maxChars: number): boolean {
  return files.length * minLineChars <= maxChars;
}

/** Returns the descriptions of files, by path. */
export function* getDescriptions(files: readonly Pick<OutlineFile, "path" | "lead">[]): Steps<Map<string, string>> {
  const descriptions = new Map<string, string>();
  for (const { path, lead = "" } of files) {
    const description = getDescription(lead);
    if (description !== null) descriptions.set(path, description);
    yield;
  }
  return descriptions;
}

/**
 * Returns one line about a file: the `description` of its YAML front matter, or the first line that is not empty.
 * @param lead the start of its text
 */
export function getDescription(lead: string): string | null {
  const description = readDescription(lead);
  return description === null ? null : shorten(description, maxDescriptionChars);
}

function readDescription(lead: string): string | null {
  const start = readFrontMatter(lead);
  if (start === null) return getFirstLine(lead);
  return readDescriptionField(start.frontMatter) ?? (start.rest === null ? null : getFirstLine(start.rest));
}

function getFirstLine(text: string): string | null {
  return (
    text
      .split(/\r\n?|\n/)
      .map((line) => line.trim())
      .find((line) => line !== "") ?? null
  );
}
