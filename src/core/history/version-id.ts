import { invalid, type MemoryError } from "../values/errors.js";
import { preview } from "../values/preview.js";

export function badVersionId(id: unknown): MemoryError {
  return invalid(`a version is named by an id that history.list answers (given ${preview(id)})`);
}

/** Only the backend knows the form of an id. @throws MemoryError EINVAL if the id is not a string */
export function checkVersionId(id: unknown): string {
  if (typeof id !== "string") throw badVersionId(id);
  return id;
}
