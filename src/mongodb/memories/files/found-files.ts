import type { FoundText } from "../../../core/tree/snapshot.js";
import { utf8Bytes } from "../../../core/values/text.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { atOneMoment } from "../../driver/snapshot-reads.js";
import { type Expression, literal, maxComparedBytes } from "../expressions.js";
import { pathOfId, rangeOfMemory, rootIdOf } from "./document-ids.js";
import { refuseElsewhere } from "./elsewhere.js";
import { byId } from "./file-indexes.js";
import type { FilesContext } from "./files-context.js";
import type { StoredDocument } from "./stored-document.js";

/** How many documents come at a time. The server also ends a batch at 16 MB. */
const batchSize = 1000;

/**
 * The files that hold one of the texts and whose names end as the suffix does, at one moment, by one command that sends
 * no other texts. A file in which the server would have to compare too much is among them.
 */
export async function foundFiles(
  context: Pick<FilesContext, "collection" | "isGuest">,
  memoryKey: string,
  texts: readonly string[],
  suffix: string,
): Promise<FoundText[]> {
  const soughtBytes = texts.reduce((sum, text) => sum + utf8Bytes(text), 0);
  const holds = texts.map((text): Expression => ({ $gte: [{ $indexOfBytes: ["$text", literal(text)] }, 0] }));
  const filter = {
    _id: { ...rangeOfMemory(memoryKey), $regex: endOfIds(suffix) },
    $or: [
      { kind: { $ne: "file" } },
      { sizeBytes: { $gt: Math.floor(maxComparedBytes / soughtBytes) } },
      { $expr: { $or: holds } },
    ],
  };
  const options = { projection: { kind: 1, text: 1 }, ...asPlainValues, ...atOneMoment, ...byId, batchSize };
  const files: FoundText[] = [];
  let root: StoredDocument | undefined;
  for await (const document of context.collection.find<StoredDocument>(filter, options)) {
    if (document._id === rootIdOf(memoryKey)) root = document;
    else if (document.kind === "file") files.push({ path: pathOfId(memoryKey, document._id), content: document.text });
  }
  refuseElsewhere(context, root);
  return files;
}

/**
 * That of the root, which alone ends with a NUL, and those of names with this end. An id has no slash before the name,
 * so what comes before one is left to the caller.
 */
function endOfIds(suffix: string): string {
  const end = suffix.slice(suffix.lastIndexOf("/") + 1);
  const escaped = Array.from(end, (character) => `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`).join("");
  return `(?:\\x{0}|${escaped})$`;
}
