import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeLaterVersion } from "../core/history/later-version.js";
import { getReason, MemoryError, type MemoryErrorCode } from "../core/values/errors.js";

/** Ends a request. The message is for people. */
export class PageRefusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;

  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const statuses = {
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
} as const satisfies Record<MemoryErrorCode, ContentfulStatusCode>;

/** Converts an error to a refusal, without a stack and without messages of the driver, which may name servers. */
export function toRefusal(error: unknown): PageRefusal {
  if (error instanceof PageRefusal) return error;
  if (!MemoryError.isInstance(error))
    return new PageRefusal(500, "EBUG", "the page failed unexpectedly; please report it");
  const { code, path, details: { laterVersion, outcomeUnknown } = {} } = error;
  if (code === "EIO") {
    const unknown = outcomeUnknown === true ? "; the outcome is unknown, so look before you repeat it" : "";
    return new PageRefusal(statuses.EIO, code, `the database failed or did not answer${unknown}`);
  }
  const message = laterVersion === undefined ? getReason(error) : describeLaterVersion(laterVersion, path);
  return new PageRefusal(statuses[code], code, message);
}
