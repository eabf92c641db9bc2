import { createHash } from "node:crypto";

/** In lowercase hex; of a text, of its UTF-8. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
