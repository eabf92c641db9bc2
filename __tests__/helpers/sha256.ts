import { createHash } from "node:crypto";

/** Returns the digest of a text in lowercase hex. */
export function hashSha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
