import { readFrontMatter } from "../core/search/front-matter.js";
import { shorten } from "../core/values/text.js";

/** The number of characters of each text that are read for its front matter and its first line. */
export const leadChars = 500;

const pinnedKey = /^pinned[ \t]*:[ \t]*true[ \t]*(?:#.*)?\r?$/m;

/** Whether the YAML front matter of a text says `pinned: true`. */
export function pinsItself(text: string): boolean {
  const start = text.startsWith("---") || text.startsWith("\uFEFF---") ? text.slice(0, leadChars) : "";
  return pinnedKey.test(readFrontMatter(start)?.frontMatter ?? "");
}

const maxDescriptionChars = 120;

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

/** A block, a list, a mapping, an alias, an anchor and a tag are no text of one line. */
const descriptionLine = /^description[ \t]*:[ \t]+(?![|>[{*&!])(\S.*)/m;

/** The text after `description:` in YAML front matter, on the same line, without quotes around it. */
function readDescriptionField(frontMatter: string): string | null {
  const line = descriptionLine.exec(frontMatter)?.[1]?.trim() ?? "";
  const [, , quoted = line] = /^(["'])(.*)\1$/.exec(line) ?? [];
  return quoted === "" ? null : quoted;
}

function getFirstLine(text: string): string | null {
  return (
    text
      .split(/\r\n?|\n/)
      .map((line) => line.trim())
      .find((line) => line !== "") ?? null
  );
}
