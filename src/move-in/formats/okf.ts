import { okfVersion, readConcept } from "../../move-out/okf-concept.js";
import { notesFormat } from "../notes-format.js";

/**
 * A bundle of the Open Knowledge Format. Each concept becomes a file. A concept of another program keeps its front
 * matter, and one that `export` has written is again the file that it was made of.
 */
export const okf = notesFormat({
  version: `OKF ${okfVersion}`,
  leavesOut: (path) =>
    /\/(?:index|log)\.md$/.test(path) ? "it is a listing or a log of the bundle, and no concept" : null,
  toEntry: (file) => {
    const { updatedAt: at = file.updatedAt, createdAt = at, ...concept } = readConcept(file.content, file.path);
    return { ...concept, at, createdAt, what: file.path };
  },
});
