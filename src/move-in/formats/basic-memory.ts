import { isMarkdown, notesFormat } from "../notes-format.js";

/** A project of Basic Memory. Front matter, observations and relations stay text. */
export const basicMemory = notesFormat({
  version: "Basic Memory 0.24",
  leavesOut: (path) => (isMarkdown(path) ? null : "it is not a note"),
});
