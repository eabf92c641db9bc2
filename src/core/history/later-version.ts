import type { MemoryErrorDetails } from "../values/errors.js";

/** Describes why a revert without `force` is refused. @param path the path of the error */
export function describeLaterVersion(
  { id, operation, actor, isRedacted }: NonNullable<MemoryErrorDetails["laterVersion"]>,
  path = "",
): string {
  const facts = Object.entries(actor ?? {}).map(([field, fact]) => `${field} ${fact}`);
  const by = facts.length === 0 ? "" : ` by ${facts.join(", ")}`;
  return `a later change would be undone too: version ${id} ${operation} ${isRedacted ? "a redacted file" : path}${by}`;
}
