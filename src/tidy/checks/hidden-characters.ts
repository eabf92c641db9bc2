import { hidden, ordinary } from "../../core/display/hidden-characters.js";
import { toEscapes } from "../../core/display/shown-text.js";
import { shorten, takeStart } from "../../core/values/text.js";
import type { TidyCheck } from "../finding.js";

/** The class comes first: a look around each character of a long line takes over three times as long. */
const oneHidden = `(?=[${hidden}])(?!${ordinary})[^]`;
const firstHidden = new RegExp(oneHidden, "u");
const anyHidden = new RegExp(`^(?:${oneHidden})+`, "u");

const maxShownChars = 60;

export const hiddenCharacters: TidyCheck = () =>
  function* examineFile({ content }) {
    const lines: number[] = [];
    let shown = "";
    for (const [index, line] of withoutMark(content).split("\n").entries()) {
      yield;
      const first = line.search(firstHidden);
      if (first === -1) continue;
      lines.push(index + 1);
      if (shown !== "") continue;
      const [run = ""] = anyHidden.exec(takeStart(line.slice(first), maxShownChars)) ?? [];
      shown = shorten(toEscapes(run), maxShownChars);
    }
    const [line] = lines;
    if (line === undefined) return [];
    const message = `hidden characters: ${shown}`;
    return [{ kind: "hidden", line, count: lines.length, message }];
  };

/** Removes a byte order mark at the start, which belongs to the encoding of a file. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
