import type { OutlineFile } from "../core/memory.js";
import { Turns } from "../core/runtime/turns.js";
import { shorten } from "../core/values/text.js";
import { readDescriptionField } from "./front-matter.js";

/** The number of characters of each text that are read for its description. */
export const leadChars = 500;

const maxDescriptionChars = 120;

/**
 * Returns one line about each file, by path: the `description` of the YAML front matter, or the first line that is not
 * empty.
 */
export async function getDescriptions(files: readonly OutlineFile[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const turns = new Turns(null);
  for (const { path, lead = "" } of files) {
    const description = readDescription(lead);
    if (description !== null) found.set(path, shorten(description, maxDescriptionChars));
    if (turns.isOver()) await turns.next();
  }
  return found;
}

function readDescription(lead: string): string | null {
  // Editors on Windows begin a text with a byte order mark.
  const [opening] = /^\uFEFF?---[ \t]*\r?\n/.exec(lead) ?? [];
  if (opening === undefined) return getFirstLine(lead);
  const rest = lead.slice(opening.length);
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  // The start of the text may end inside the front matter, in the middle of a line.
  const frontMatter = rest.slice(0, closing?.index ?? rest.lastIndexOf("\n") + 1);
  const description = readDescriptionField(frontMatter);
  if (description !== null || closing === null) return description;
  return getFirstLine(rest.slice(closing.index + closing[0].length));
}

function getFirstLine(text: string): string | null {
  return (
    text
      .split(/\r\n?|\n/)
      .map((line) => line.trim())
      .find((line) => line !== "") ?? null
  );
}
