import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Compares texts with a secret. All digests have one length, so the time that a comparison takes says nothing about the
 * secret.
 */
export function createSecretMatcher(secret: string): (text: string) => boolean {
  const expected = digest(secret);
  return (text) => timingSafeEqual(digest(text), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
