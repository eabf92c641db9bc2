import { filterInSteps, mapInSteps } from "../core/runtime/lists-in-steps.js";
import type { Steps } from "../core/runtime/time-slices.js";
import type { Text } from "./lines.js";
import type { PromptPart } from "./part.js";

/** The lines of a file that a part of a turn shows, in their order. */
export interface ShownLines {
  path: string;
  /** Each as `takeWithEnds` takes it, so that a line is not found inside another one. */
  lines: readonly string[];
}

/** The part of a turn that a connector keeps for the further calls in the turn. */
export interface KeptTurn {
  text: string;
  shown: readonly ShownLines[];
  /** Whether it shows all that was said, beside all notes. */
  isWhole: boolean;
}

/** Returns the lines of a part as they are stored. The copies do not keep the texts of whole files in memory. */
export function* listShown(texts: readonly Text[], part: PromptPart): Steps<ShownLines[]> {
  const shown = yield* filterInSteps(texts, ({ path }) => part.count(path) > 0);
  return shown.map((text) => copyLines(text, part.getNumbers(text.path)));
}

/** Returns all lines of texts as they are stored. */
export function* listWhole(texts: readonly Text[]): Steps<ShownLines[]> {
  return yield* mapInSteps(texts, (text) =>
    copyLines(
      text,
      Array.from({ length: text.passages.length - 1 }, (_, index) => index + 1),
    ),
  );
}

function copyLines({ path, content, passages }: Text, numbers: readonly number[]): ShownLines {
  const lines = numbers.flatMap((number) => passages.at(number) ?? []);
  return { path, lines: structuredClone(lines.map(({ start, end }) => takeWithEnds(content, start, end))) };
}

/** Takes a part of a text with the character before it and the one after it. At the ends of the text, they are line ends. */
function takeWithEnds(content: string, start: number, end: number): string {
  return (content[start - 1] ?? "\n") + content.slice(start, end) + (content[end] ?? "\n");
}

/** Whether each file still has all lines that were shown of it, in the same order. Lines may have come between them. */
export function* hasShownLines(
  shown: readonly ShownLines[],
  files: readonly { path: string; content: string }[],
): Steps<boolean> {
  const wanted = new Map(shown.map(({ path, lines }) => [path, lines]));
  let found = 0;
  for (const { path, content } of files) {
    yield;
    const lines = wanted.get(path);
    if (lines === undefined) continue;
    const text = takeWithEnds(content, 0, content.length);
    let from = 0;
    for (const line of lines) {
      yield;
      const at = text.indexOf(line, from);
      if (at === -1) return false;
      // Two lines share the line end between them, and the pieces of a long line may share two characters.
      from = at + line.length - 2;
    }
    found += 1;
  }
  return found === wanted.size;
}
