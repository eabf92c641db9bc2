import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** What the browser loads. */
export interface ClientFile {
  text: string;
  type: string;
  /** Another for another text. */
  tag: string;
  /** By gzip. */
  compressed: () => Uint8Array<ArrayBuffer>;
}

export function clientFile(type: string, text: string): ClientFile {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  const tag = `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`;
  // Once, when the first browser asks.
  return { text, type, tag, compressed: () => (bytes ??= new Uint8Array(gzipSync(text))) };
}
