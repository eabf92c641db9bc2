import { invalid, type MemoryError } from "../values/errors.js";
import { preview } from "../values/preview.js";

export function badVersionId(id: unknown): MemoryError {
  return invalid(`a version is named by an id that history.list answers (given ${preview(id)})`);
}

/** Its form is that of the backend. @throws MemoryError EINVAL */
export function checkVersionIdIsText(id: unknown): void {
  if (typeof id !== "string") throw badVersionId(id);
}
