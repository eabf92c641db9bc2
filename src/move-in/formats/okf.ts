import { okfVersion, readConcept } from "../../move-out/okf-concept.js";
import type { MoveInFormat } from "../item.js";
import { openFolder, readFolder } from "../read/folder.js";

/**
 * A bundle of the Open Knowledge Format. Each concept becomes a file. A concept of another program keeps its front
 * matter, and one that `export` has written is again the file that it was made of.
 */
export const okf: MoveInFormat = {
  version: `OKF ${okfVersion}`,
  takes: ["folder"],
  async *read(source) {
    const { memory, dir } = await openFolder(source);
    for await (const file of readFolder(memory, dir)) {
      if ("why" in file) yield file;
      if ("why" in file || "directory" in file) continue;
      if (/\/(?:index|log)\.md$/.test(file.path))
        yield { what: file.path, why: "it is a listing or a log of the bundle, and no concept" };
      else {
        const { updatedAt: at = file.updatedAt, createdAt = at, ...concept } = readConcept(file.content, file.path);
        yield { ...concept, at, createdAt, what: file.path };
      }
    }
  },
};
