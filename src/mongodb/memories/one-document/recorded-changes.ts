import type { DirectoryChange } from "../../history/version-document.js";
import type { RecordedChange, RecordedFile } from "../../history/outbox.js";
import { pathOfKey } from "./document.js";
import type { StoredChange, StoredFile } from "./stored-change.js";

export function recordedChange({ revision, at, actor, files, directories = {} }: StoredChange): RecordedChange {
  const { added = [], removed = [], moved } = directories;
  const addedPaths = added.filter((key) => key !== null).map(pathOfKey);
  const change: DirectoryChange = {
    ...(addedPaths.length > 0 && { added: addedPaths }),
    ...(removed.length > 0 && { removed: removed.map(pathOfKey) }),
    ...(moved && { moved: { from: pathOfKey(moved.from), to: pathOfKey(moved.to) } }),
  };
  return { revision, at, actor, files: files.map(recordedFile), directories: change };
}

function recordedFile({ key, from, gone, before, beforeBytes, older }: StoredFile): RecordedFile {
  return {
    path: pathOfKey(key),
    ...(from !== undefined && { from: pathOfKey(from) }),
    gone: gone === true,
    ...(typeof before === "string" && { before }),
    ...(typeof beforeBytes === "number" && { beforeBytes }),
    ...(older && { older }),
  };
}
