import { hash, timingSafeEqual } from "node:crypto";

/** Returns the digest in lowercase hex. A text is hashed as UTF-8. */
export function hashSha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}

/** Returns a short id. The same facts have the same id, also in another process. */
export function createFactsId(facts: unknown): string {
  return hashSha256(JSON.stringify(facts)).slice(0, 24);
}

/**
 * Returns a function that compares texts with a secret. All digests have the same length, so the time of a comparison
 * says nothing about the secret.
 */
export function createSecretMatcher(secret: string): (text: string) => boolean {
  const expected = hash("sha256", secret, "buffer");
  return (text) => timingSafeEqual(hash("sha256", text, "buffer"), expected);
}
