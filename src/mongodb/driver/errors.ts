import { MemoryError, memoryFull, storageFailed } from "../../core/values/errors.js";
import { callMethod, getField, isObject } from "../../core/values/unknown-values.js";

/**
 * The codes with which MongoDB reports that a document, a list or a command is too large (measured on 6.0 with driver
 * 7).
 */
const tooLargeCodes = new Set<unknown>([146, 17419, 10334, 16493, 13548, 17420, 17280, "ERR_OUT_OF_RANGE"]);

const duplicateKeyCode = 11000;

/** Advice for codes that depend on how the server or the program was started. */
const advice: Record<number, string> = {
  // ReadConcernMajorityNotEnabled: the server keeps everything in memory, as mongodb-memory-server 6.0 does by default.
  148: "; start the server with the storage engine wiredTiger",
  // ClientMetadataMissingField: the driver greets the server with what it has loaded by import().
  183: "; in Jest, set NODE_OPTIONS=--experimental-vm-modules, because the driver uses import()",
};

/** An error of the driver. Its shape is read, not its class, because another copy of `mongodb` may have thrown it. */
type DriverError = Partial<Record<"name" | "message" | "syscall" | "code" | "codeName", unknown>>;

/** Takes an error of the driver, or the MemoryError that was made of it. */
function toDriverError(error: unknown): DriverError {
  const own = MemoryError.isInstance(error) ? error.cause : error;
  return isObject(own) ? own : {};
}

/** Whether a document or a command would be larger than MongoDB's limit. */
export function isTooLarge(error: unknown): boolean {
  return tooLargeCodes.has(getField(error, "code"));
}

export function isDuplicateKey(error: unknown): boolean {
  return getField(error, "code") === duplicateKeyCode;
}

/** The errors of writes that changed nothing, because they were never sent, or because a transaction ended. */
const harmless = new WeakSet<object>();

/** Marks the error of a write that changed nothing. The error itself stays as it is, for those who read its labels. */
export function markHarmless(error: unknown): void {
  if (isObject(error)) harmless.add(error);
}

/** Returns the errors of the writes of one bulk, and the error of its write concern. */
export function findWriteErrors(error: unknown): readonly unknown[] {
  const writeErrors = getField(error, "writeErrors");
  const failed: unknown[] = Array.isArray(writeErrors) ? writeErrors : [writeErrors];
  return [...failed, findWriteConcernError(error)].filter((each) => each !== undefined);
}

function findWriteConcernError(error: unknown): unknown {
  return callMethod(getField(error, "result"), "getWriteConcernError");
}

/**
 * Whether the server itself refused a command or a part of a bulk, and so did not run it. In every other case it may
 * have run: the driver retries a write whose connection broke, and then reports the failure of the retry.
 */
export function isRefusedByServer(error: unknown): boolean {
  const own = toDriverError(error);
  if (own.name !== "MongoServerError" && own.name !== "MongoBulkWriteError") return false;
  const codes = [own, ...findWriteErrors(own)].map((each) => getField(each, "code"));
  return (
    findWriteConcernError(own) === undefined && codes.every((code) => typeof code === "number" && !mayHaveRun.has(code))
  );
}

/**
 * Creates a MemoryError from any error of the driver. The message names only the kind of failure. The driver's own
 * message may contain hosts, paths and contents of documents, so it stays in `cause`.
 *
 * @param maxMemoryBytes the limit of the memory; null if the failure does not concern a memory
 */
export function storageError(cause: unknown, act: "read" | "write", maxMemoryBytes: number | null): MemoryError {
  if (MemoryError.isInstance(cause)) return cause;
  const { name, code, codeName } = toDriverError(cause);
  if (act === "write" && isTooLarge(cause)) {
    if (maxMemoryBytes !== null) return memoryFull(null, maxMemoryBytes, cause);
    return new MemoryError(
      "EFBIG",
      "EFBIG: the item, with the data that is stored beside its value, would be larger than a document of MongoDB can be",
      { cause },
    );
  }
  const mayHaveChanged = act === "write" && !(isObject(cause) && harmless.has(cause)) && name !== neverSent;
  if (typeof code === "number" && typeof name === "string" && serverErrors.has(name)) {
    const others = mayHaveChanged && hasChanged(cause) ? "; other writes of the batch were made" : "";
    const label = `${typeof codeName === "string" ? `${codeName}, ` : ""}code ${code}`;
    return isRefusedByServer(cause)
      ? new MemoryError("EIO", `EIO: MongoDB refused to ${act} (${label})${advice[code] ?? ""}${others}`, { cause })
      : storageFailed(`EIO: MongoDB did not finish the ${act} (${label})`, mayHaveChanged, cause);
  }
  const other = unsupportedServer(cause);
  if (other !== null) return new MemoryError("EIO", `EIO: ${other}`, { cause });
  return storageFailed(`EIO: MongoDB did not answer (${describeFailure(cause)})`, mayHaveChanged, cause);
}

/** Whether other writes of a bulk were made. */
function hasChanged(error: unknown): boolean {
  const counts = ["insertedCount", "modifiedCount", "upsertedCount", "deletedCount"];
  return counts.some((count) => Number(getField(error, count) ?? 0) > 0);
}

/** The errors with which a server answered. */
const serverErrors: ReadonlySet<string> = new Set([
  "MongoServerError",
  "MongoBulkWriteError",
  "MongoWriteConcernError",
]);

/** The driver throws this before the first attempt of a command, if the client is closed. */
const neverSent = "MongoNotConnectedError";

const closedClientErrors: ReadonlySet<unknown> = new Set([
  neverSent,
  "MongoClientClosedError",
  "MongoTopologyClosedError",
]);

/** Whether the index that a command names does not exist. */
export function isBadHint(error: unknown): boolean {
  const { code, message } = toDriverError(error);
  return code === 2 && /hint/i.test(String(message));
}

/** Whether the user lacks the right to do this. */
export function isUnauthorized(error: unknown): boolean {
  return toDriverError(error).code === 13;
}

/** The codes for an existing index of the same name or the same keys with other options. */
const indexConflictCodes = new Set<unknown>([85, 86]);

export function isIndexConflict(error: unknown): boolean {
  return indexConflictCodes.has(toDriverError(error).code);
}

/** Whether the server refuses to make an index of this kind, as a unique one that does not begin with the shard key. */
export function isIndexRefused(error: unknown): boolean {
  return toDriverError(error).code === cannotCreateIndex;
}

const cannotCreateIndex = 67;

/** The old releases of MongoDB by the wire version that they report. The driver requests nothing else from them. */
const releases: Record<string, string> = {
  0: "2.4",
  2: "2.6",
  3: "3.0",
  4: "3.2",
  5: "3.4",
  6: "3.6",
  7: "4.0",
  8: "4.2",
  9: "4.4",
};

/** Explains that the driver and the server have no protocol in common. Null for other errors. */
export function unsupportedServer(error: unknown): string | null {
  const { message } = toDriverError(error);
  const wire = / wire version (\d+),.* (least|most) \d+ \(MongoDB ([\d.]+)\)/.exec(String(message));
  if (wire === null) return null;
  const [, reported = "", bound, needed] = wire;
  const release = bound === "least" && reported in releases ? ` (MongoDB ${releases[reported]})` : "";
  return (
    `the server${release} is too ${bound === "least" ? "old" : "new"} for this driver, which takes ` +
    `MongoDB ${needed} at ${bound}`
  );
}

/**
 * The server returns these codes if it interrupted a command: shutdowns, step-downs, timeouts, unsatisfied write
 * concerns.
 */
const mayHaveRun = new Set([6, 7, 24, 50, 64, 79, 89, 91, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436]);

function describeFailure(cause: unknown): string {
  const { name, syscall } = toDriverError(cause);
  // A name of mongodb+srv. The driver looks up the names of a plain string later, and then reports that it cannot
  // select a server.
  if (syscall === "querySrv" || syscall === "queryTxt") return "the name in the connection string does not resolve";
  if (closedClientErrors.has(name)) return "the client is closed";
  if (name === "MongoWaitQueueTimeoutError") return "no connection of the pool was free in time";
  if (name === "MongoServerSelectionError") return "no server could be selected in time";
  if (typeof name === "string" && /^Mongo\w+$/.test(name)) return name;
  return "unexpected failure";
}

/** TransactionTooLarge, TransactionExceededLifetimeLimitSeconds, TransactionTooLargeForCache. */
const tooMuchCodes = new Set<unknown>([257, 290, 388]);

/** Explains errors of a transaction that is too much for the server: nothing was changed. */
export function transactionError(error: unknown): MemoryError {
  if (!tooMuchCodes.has(getField(error, "code"))) return storageError(error, "write", null);
  const message =
    "ENOSPC: the change is more than this MongoDB server makes in one transaction (transactionLifetimeLimitSeconds, " +
    "60 by default, and the size of its cache); nothing was changed; change what lies in the directory part by part";
  return new MemoryError("ENOSPC", message, { cause: error });
}
