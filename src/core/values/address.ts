import { invalid, MemoryError } from "./errors.js";
import { assertPlainText } from "./paths.js";
import { preview, shorten } from "./text.js";

/**
 * `global`: one memory for the node, shared by all threads and users. `perThread`: one for each thread. `perUser`: one
 * for each user.
 */
export type MemoryScope = "global" | "perThread" | "perUser";

/**
 * Names one memory. Ids are any non-empty strings of at most 512 characters, compared as exact bytes. The default scope
 * is `global`.
 */
export type MemoryAddress =
  | { nodeId: string; scope?: "global" | undefined }
  | { nodeId: string; scope: "perThread"; threadId: string }
  | { nodeId: string; scope: "perUser"; userId: string };

/** A checked address. Each memory has exactly one. */
export type CheckedAddress =
  | { readonly nodeId: string; readonly scope: "global" }
  | { readonly nodeId: string; readonly scope: "perThread"; readonly threadId: string }
  | { readonly nodeId: string; readonly scope: "perUser"; readonly userId: string };

/** The field that names the thread or the user in an address. */
export type OwnerField = "threadId" | "userId";

type OwnedScope = Exclude<MemoryScope, "global">;

/** The field that names the owner of a memory, by scope. */
export const ownerFields = { global: null, perThread: "threadId", perUser: "userId" } as const satisfies Record<
  MemoryScope,
  OwnerField | null
>;

export const memoryScopes: readonly MemoryScope[] = ["global", "perThread", "perUser"];

/** Returns the scope whose addresses have this field. */
export function getOwnerScope(field: OwnerField): MemoryScope {
  return field === "threadId" ? "perThread" : "perUser";
}

/** The names of the fields in a run's `configurable`. */
const ownerNames: Record<OwnerField, string> = { threadId: "thread_id", userId: "user_id" };

const maxIdChars = 512;

export function isMemoryScope(value: unknown): value is MemoryScope {
  return typeof value === "string" && Object.hasOwn(ownerFields, value);
}

/** Returns the id of the thread or user of a memory, or null if all share the memory. */
export function getOwner(address: CheckedAddress): string | null {
  if (address.scope === "global") return null;
  return address.scope === "perThread" ? address.threadId : address.userId;
}

/**
 * Returns the address of a node's memory for a thread or a user. @param owner any value; ignored for `global`. @throws
 * MemoryError EINVAL
 */
export function addressFor(nodeId: string, scope: MemoryScope, owner: unknown): CheckedAddress {
  const field = ownerFields[scope];
  return checkAddress(field === null ? { nodeId, scope } : { nodeId, scope, [field]: owner });
}

/** Checks an address, so that only strings reach a query. @throws MemoryError EINVAL */
export function checkAddress(address: unknown): CheckedAddress {
  if (typeof address !== "object" || address === null) {
    throw invalid(
      `a memory address is an object { nodeId, scope?, threadId?, userId? } (given ${describeValue(address)})`,
    );
  }
  const { nodeId, scope = "global", ...others }: Record<string, unknown> = { ...address };
  if (!isMemoryScope(scope))
    throw invalid(`scope must be "global", "perThread" or "perUser" (given ${describeValue(scope)})`);
  for (const field of Object.keys(others)) {
    const isAbsent = others[field] === undefined && Object.hasOwn(ownerNames, field);
    if (field !== ownerFields[scope] && !isAbsent) throw foreignField(field, scope);
  }
  const id = checkId(nodeId, "nodeId");
  if (scope === "global") return Object.freeze({ nodeId: id, scope });
  const owner = checkOwner(others[ownerFields[scope]], scope);
  return Object.freeze(
    scope === "perThread" ? { nodeId: id, scope, threadId: owner } : { nodeId: id, scope, userId: owner },
  );
}

function checkOwner(owner: unknown, scope: OwnedScope): string {
  const missing = `${ownerNames[ownerFields[scope]]} is required for ${scope} scope`;
  if (owner === undefined || owner === null || owner === "")
    throw new MemoryError("EINVAL", missing, { details: { missingOwner: true } });
  if (typeof owner !== "string") throw invalid(`${missing}: a non-empty string (given ${preview(owner)})`);
  return checkId(owner, ownerFields[scope]);
}

function foreignField(field: string, scope: MemoryScope): MemoryError {
  const meant = memoryScopes.find((other) => ownerFields[other] === field);
  if (meant === undefined)
    return invalid(
      `unknown field of a memory address: ${shorten(field, 64)}; the fields are nodeId, scope, threadId, userId`,
    );
  return invalid(
    `an address of scope "${scope}" has no ${field}; did you mean "${meant}"? Its address is { nodeId, scope: "${meant}", ${field} }`,
  );
}

/** Whether an error says that the thread or the user is missing, not that it is invalid. */
export function isMissingOwner({ details }: MemoryError): boolean {
  return details?.missingOwner === true;
}

/** Checks a stored address. Returns null if no memory can have it. */
export function addressOrNull(stored: unknown): CheckedAddress | null {
  try {
    return checkAddress(stored);
  } catch (error) {
    if (MemoryError.isInstance(error)) return null;
    throw error;
  }
}

/** @param name shown in the message. @throws MemoryError EINVAL */
export function checkId(id: unknown, name: string): string {
  if (typeof id !== "string" || id === "")
    throw invalid(`${name} must be a non-empty string (given ${describeValue(id)})`);
  if (id.length > maxIdChars) throw invalid(`${name} is longer than ${maxIdChars} characters`);
  assertPlainText(id, name);
  return id;
}

function describeValue(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "string" ? JSON.stringify(shorten(value, 64)) : typeof value;
}
