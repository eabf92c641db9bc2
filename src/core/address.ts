import { invalid, MemoryError } from "./errors.js";
import { preview } from "./options.js";
import { assertPlainText } from "./paths.js";
import { shorten } from "./text.js";

/** `global`: one memory for the node, shared by all threads. `perThread`: one for each thread. */
export type MemoryScope = "global" | "perThread";

/** Where a memory is found. Ids are any non-empty strings of at most 512 characters, compared as exact bytes. */
export interface MemoryAddress {
  nodeId: string;
  /** @default "global" */
  scope?: MemoryScope | undefined;
  /** The run's `configurable.thread_id`; required for `perThread`, absent for `global`. */
  threadId?: string | undefined;
}

/** An address after checking: exactly one shape for each memory. */
export type CheckedAddress =
  | { readonly nodeId: string; readonly scope: "global" }
  | { readonly nodeId: string; readonly scope: "perThread"; readonly threadId: string };

const maxIdChars = 512;

/** @throws MemoryError EINVAL, so that nothing but strings ever reaches a query. */
export function checkAddress(address: unknown): CheckedAddress {
  if (typeof address !== "object" || address === null) {
    throw invalid(`a memory address is an object { nodeId, scope?, threadId? } (given ${shownValue(address)})`);
  }
  const { nodeId, scope = "global", threadId, ...rest } = address as Record<string, unknown>;
  const unknownField = Object.keys(rest)[0];
  if (unknownField !== undefined) throw invalid(`unknown field of a memory address: ${shorten(unknownField, 64)}`);
  if (scope !== "global" && scope !== "perThread") {
    throw invalid(`scope must be "global" or "perThread" (given ${shownValue(scope)})`);
  }
  const checkedNodeId = checkId(nodeId, "nodeId");
  if (scope === "global") {
    if (threadId !== undefined) throw invalid('an address of scope "global" has no threadId; did you mean "perThread"?');
    return Object.freeze({ nodeId: checkedNodeId, scope });
  }
  if (typeof threadId !== "string" || threadId === "") {
    const given = (threadId ?? "") === "" ? "" : `: a non-empty string (given ${preview(threadId)})`;
    throw invalid(`thread_id is required for perThread scope${given}`);
  }
  return Object.freeze({ nodeId: checkedNodeId, scope, threadId: checkId(threadId, "threadId") });
}

/** The address that something stored has, or null where no memory can have it. */
export function addressOrNull(stored: unknown): CheckedAddress | null {
  try {
    return checkAddress(stored);
  } catch (error) {
    if (MemoryError.isInstance(error)) return null;
    throw error;
  }
}

function checkId(id: unknown, name: string): string {
  if (typeof id !== "string" || id === "") throw invalid(`${name} must be a non-empty string (given ${shownValue(id)})`);
  if (id.length > maxIdChars) throw invalid(`${name} is longer than ${maxIdChars} characters`);
  assertPlainText(id, name);
  return id;
}

function shownValue(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "string" ? JSON.stringify(shorten(value, 64)) : typeof value;
}
