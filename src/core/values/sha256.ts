import { hash } from "node:crypto";

/** Returns the digest in lowercase hex. A text is hashed as UTF-8. */
export function hashSha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}
