import { MemoryError, type MemoryErrorCode } from "../core/values/errors.js";
import type { ClientFile } from "./client-file.js";
import type { WireError } from "./wire.js";

/** Nothing from elsewhere, nothing inline, and in no frame. */
const securityHeaders = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Ends a request; the message is for people. */
export class PageRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Made once: half of what an answer costs is its headers. */
const jsonHeaders = new Headers({
  ...securityHeaders,
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
});

export function jsonAnswer(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: jsonHeaders });
}

/** A proxy would hold events back, to compress them or to fill a buffer. */
const eventHeaders = {
  ...securityHeaders,
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

export function eventsAnswer(events: ReadableStream<Uint8Array>): Response {
  return new Response(events, { headers: eventHeaders });
}

const compressedFiles = new WeakMap<Response, () => Uint8Array>();

/** A file of the client, which is the same until the package is updated. */
export function fileAnswer({ headers: asked }: Request, { text, type, tag, compressed }: ClientFile): Response {
  const headers = {
    ...securityHeaders,
    "Content-Type": `${type}; charset=utf-8`,
    "Cache-Control": "no-cache",
    ETag: tag,
  };
  if (asked.get("if-none-match") === tag) return new Response(null, { status: 304, headers });
  const answer = new Response(text, { headers });
  compressedFiles.set(answer, compressed);
  return answer;
}

/**
 * The body of a file of the client, by gzip; it holds nothing secret. For `nodeListener` alone: other servers compress
 * by themselves, and Next.js takes the header away that would say that an answer is compressed.
 */
export function compressedBody(answer: Response): Uint8Array | undefined {
  return compressedFiles.get(answer)?.();
}

const statuses: Record<MemoryErrorCode, number> = {
  ENOENT: 404,
  EISDIR: 400,
  ENOTDIR: 400,
  EEXIST: 409,
  EINVAL: 400,
  EACCES: 403,
  EFBIG: 413,
  ENOSPC: 507,
  ENOTMEM: 500,
  ECONFLICT: 409,
  EXDEV: 400,
  EIO: 503,
};

/** What went wrong, without a stack and without what a driver says, which may name servers. */
export function faultAnswer(error: unknown): Response {
  const { status, code, message } = refusalOf(error);
  const body: WireError = { error: { code, message } };
  return jsonAnswer(body, status);
}

function refusalOf(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof PageRefusal) return error;
  if (!MemoryError.isInstance(error))
    return { status: 500, code: "EBUG", message: "the page failed unexpectedly; please report it" };
  const { code } = error;
  if (code !== "EIO") return { status: statuses[code], code, message: error.message };
  const unknown = /outcome is unknown/.test(error.message)
    ? "; the outcome is unknown, so look before you repeat it"
    : "";
  return { status: statuses.EIO, code, message: `the database failed or did not answer${unknown}` };
}
