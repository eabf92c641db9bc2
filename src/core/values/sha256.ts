import { createHash } from "node:crypto";

/** In lowercase hex; of a text, of its UTF-8. */
export function hashSha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
