import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Returns a function that compares texts with a secret. All digests have the same length, so the time of a comparison
 * says nothing about the secret.
 */
export function createSecretMatcher(secret: string): (text: string) => boolean {
  const expected = digest(secret);
  return (text) => timingSafeEqual(digest(text), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
