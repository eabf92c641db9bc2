import { hash } from "node:crypto";

/** Returns the digest in lowercase hex. A text is hashed as UTF-8. */
export function hashSha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}

/** Returns a short id. The same facts have the same id, also in another process. */
export function createFactsId(facts: unknown): string {
  return hashSha256(JSON.stringify(facts)).slice(0, 24);
}
