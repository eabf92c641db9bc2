import { isMarkdown, notesFormat } from "../notes-format.js";

/** A vault of Obsidian. Links such as `[[note]]` stay text. */
export const obsidian = notesFormat({
  version: "Obsidian 1.10",
  leavesOut: (path) => {
    if (/^\/\.(?:obsidian|trash)\//.test(path)) return "it is a setting of Obsidian, or in its trash";
    return isMarkdown(path) ? null : "it is not a note";
  },
});
