import { hidden, ordinary } from "../../core/display/hidden-characters.js";
import { toEscapes } from "../../core/display/shown-text.js";
import { splitLines } from "../../core/search/lines.js";
import { shorten, takeStart } from "../../core/values/text.js";
import type { TidyCheck } from "../finding.js";

/** The class comes first: a look around each character of a long line takes over three times as long. */
const oneHidden = `(?=[${hidden}])(?!${ordinary})[^]`;
const firstHidden = new RegExp(oneHidden, "u");
const anyHidden = new RegExp(`^(?:${oneHidden})+`, "u");

const maxShownChars = 60;

export const hiddenCharacters: TidyCheck = () =>
  function* examineFile({ content }) {
    let firstLine: number | null = null;
    let [count, shown] = [0, ""];
    for (const { line, text } of splitLines(withoutMark(content))) {
      yield;
      const first = text.search(firstHidden);
      if (first === -1) continue;
      count += 1;
      if (firstLine !== null) continue;
      firstLine = line;
      const [run = ""] = anyHidden.exec(takeStart(text.slice(first), maxShownChars)) ?? [];
      shown = shorten(toEscapes(run), maxShownChars);
    }
    if (firstLine === null) return [];
    return [{ kind: "hidden", line: firstLine, count, message: `hidden characters: ${shown}` }];
  };

/** Removes a byte order mark at the start, which belongs to the encoding of a file. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
