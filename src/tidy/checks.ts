import { deadLinks } from "./checks/dead-links.js";
import { duplicates } from "./checks/duplicates.js";
import { emptyFiles } from "./checks/empty-files.js";
import { hiddenCharacters } from "./checks/hidden-characters.js";
import { largeFiles } from "./checks/large-files.js";
import { staleNotes } from "./checks/stale-notes.js";
import type { TidyCheck } from "./finding.js";

/** The checks in the order of their findings. */
export const checks: readonly TidyCheck[] = [
  hiddenCharacters,
  emptyFiles,
  staleNotes,
  duplicates,
  deadLinks,
  largeFiles,
];
