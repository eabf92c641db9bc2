import type { TextRedactor } from "../../../core/history/text-redactor.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import { withPath } from "../../../core/values/error-paths.js";
import { invalid } from "../../../core/values/errors.js";
import type { PresentMemory } from "../history-context.js";

/** The places of a text in the present memory. */
export interface PresentOccurrences {
  /** The paths of the files whose texts contain it. */
  texts: readonly string[];
  /** The paths of files and directories that contain it. */
  paths: readonly string[];
}

export const nowhere: PresentOccurrences = { texts: [], paths: [] };

export function* findPresent({ tree, texts: all }: PresentMemory, redactor: TextRedactor): Steps<PresentOccurrences> {
  const texts: string[] = [];
  const paths = [...tree.directories].filter((path) => redactor.isIn(path));
  for (const [path, text] of all) {
    if (redactor.isIn(path)) paths.push(path);
    if (redactor.isIn(text)) texts.push(path);
    yield;
  }
  return { texts, paths };
}

/** @param cut whether the texts may be covered. @throws MemoryError EINVAL */
export function refusePresent({ texts: [first, ...others], paths }: PresentOccurrences, cut: boolean): void {
  // The message does not repeat the text, which the path contains.
  if (paths.length > 0)
    throw invalid("the path of a present file or directory contains the text; rename or delete it first");
  if (first === undefined || cut) return;
  const more = others.length === 0 ? "" : ` and in ${others.length} more ${others.length === 1 ? "file" : "files"}`;
  const message =
    `the text can be read in ${first}${more} as it is now; write or delete the file first, or cover it there too, by ` +
    "the option cut";
  throw withPath(invalid(message), first);
}
