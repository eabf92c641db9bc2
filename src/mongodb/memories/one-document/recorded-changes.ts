import type { DirectoryChange } from "../../history/version-document.js";
import type { RecordedChange, RecordedFile } from "../../history/outbox.js";
import { pathOfKey } from "./document.js";
import type { StoredChange, StoredFile, StoredTreeChange, TextHeader } from "./stored-change.js";

export function recordedChange(stored: StoredChange): RecordedChange {
  return typeof stored === "string" ? readTextEntry(stored) : recordedTreeChange(stored);
}

function recordedTreeChange({ revision, at, actor, files, directories = {} }: StoredTreeChange): RecordedChange {
  const { added = [], removed = [], moved } = directories;
  const change: DirectoryChange = {
    ...addedPaths(added.filter((key) => key !== null)),
    ...(removed.length > 0 && { removed: removed.map(pathOfKey) }),
    ...(moved && { moved: { from: pathOfKey(moved.from), to: pathOfKey(moved.to) } }),
  };
  return { revision, at, actor, files: files.map(recordedFile), directories: change };
}

function recordedFile({ key, from, gone, before }: StoredFile): RecordedFile {
  return {
    path: pathOfKey(key),
    ...(from !== undefined && { from: pathOfKey(from) }),
    gone: gone === true,
    ...(typeof before === "string" && { before }),
  };
}

/** The inverse of `textEntry`. No path holds a NUL, and no JSON a newline. */
function readTextEntry(entry: string): RecordedChange {
  const keyEnd = entry.indexOf("\0");
  const headerEnd = entry.indexOf("\n", keyEnd);
  const factsEnd = entry.indexOf("\n", headerEnd + 1);
  const {
    at,
    actor,
    from,
    gone,
    older,
    holdsText,
    parents = [],
  } = JSON.parse(entry.slice(keyEnd + 1, headerEnd)) as TextHeader;
  const [revision, bytes, added = ""] = entry.slice(headerEnd + 1, factsEnd).split(" ");
  const text = entry.slice(factsEnd + 1);
  const hadText = bytes !== "";
  const file: RecordedFile = {
    path: pathOfKey(entry.slice(0, keyEnd)),
    ...(from !== undefined && { from: pathOfKey(from) }),
    gone: gone === true,
    ...(older && { older: { ...older, text } }),
    ...(hadText && (holdsText === true ? { before: text } : { beforeBytes: Number(bytes) })),
  };
  const directories = addedPaths(parents.filter((_parent, index) => added[index] === "1"));
  return { revision: Number(revision), at: new Date(at), actor, files: [file], directories };
}

function addedPaths(keys: readonly string[]): DirectoryChange {
  return keys.length === 0 ? {} : { added: keys.map(pathOfKey) };
}
