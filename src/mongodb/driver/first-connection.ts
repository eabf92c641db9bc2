import type { MongoClient, ServerDescription, ServerDescriptionChangedEvent } from "mongodb";
import { MemoryError } from "../../core/values/errors.js";
import { getField, isObject } from "../../core/values/unknown-values.js";
import { storageError } from "./errors.js";

/**
 * The time in which servers may refuse a first connection. The driver tries for 30 s, and reports no reason meanwhile.
 */
const maxRefusedMs = 4500;

/** The last error of each server that a client has not reached, by address. Null for a server that it has reached. */
type Faults = Map<string, Error | null>;

/** The driver reports an error once, so all attempts of a client share what is known. */
const faultsByClient = new WeakMap<MongoClient, Faults>();

/**
 * Connects a client that has never been connected. If no server can be reached, it fails within 5 s. The message says
 * why, and names no host: a model may see it. The cause names the host, and is or has the driver's error.
 *
 * @param timeoutMs the time limit of the calls that wait for the connection
 * @throws MemoryError EIO. It never says that the outcome is unknown, because nothing was sent
 */
export async function connectFirst(client: MongoClient, timeoutMs = Infinity): Promise<void> {
  const faults = watchFaults(client);
  let timer: NodeJS.Timeout | undefined;
  // Before the time limit of the call, whose error would not say why.
  const refused = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        const fault = findFault(faults);
        if (fault !== null) reject(fault);
      },
      Math.min(maxRefusedMs, timeoutMs * 0.9),
    );
  });
  try {
    await Promise.race([client.connect(), refused]);
  } catch (error) {
    throw connectionError(error, client);
  } finally {
    clearTimeout(timer);
  }
}

function watchFaults(client: MongoClient): Faults {
  const known = faultsByClient.get(client);
  if (known !== undefined) return known;
  const faults: Faults = new Map();
  client.on("serverDescriptionChanged", ({ address, newDescription }: ServerDescriptionChangedEvent) =>
    faults.set(address, newDescription.error),
  );
  faultsByClient.set(client, faults);
  return faults;
}

/** Null if a server was reached, or if none has answered yet. */
function findFault(faults: Faults): Error | null {
  const errors = [...faults.values()];
  return errors.every((error) => error !== null) ? (errors.at(-1) ?? null) : null;
}

/** The meanings of error codes of Node and OpenSSL, with advice. The first row that matches a code counts. */
const reasons: readonly (readonly [code: RegExp, reason: string, advice: string])[] = [
  [/^ECONNREFUSED$/, "nothing listens there", "start MongoDB, or correct the connection string"],
  [/^(?:ENOTFOUND|EAI_AGAIN|ENODATA|ESERVFAIL)$/, "the name does not resolve", "correct the connection string"],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/, "no way to it", "check firewalls and the IP access list"],
  [/CERT|SSL|TLS|SELF_SIGNED/, "TLS failed", "check the certificates and the tls options of the connection string"],
];

/** A server without TLS closes a connection with it. */
const closedBeforeTls = [
  /^ECONNRESET$/,
  "it closed the connection before TLS began",
  "if the server has no TLS, leave tls out of the connection string; else check firewalls and the IP access list",
] as const;

const authenticationFailed = 18;

function connectionError(error: unknown, { options }: MongoClient): MemoryError {
  const failed = storageError(error, "read", null);
  failed.cause = nameHosts(error, options);
  if (getField(error, "code") === authenticationFailed)
    return withMessage(failed, `${failed.message}; check the user, the password and authSource`);
  // The look-up of a mongodb+srv name has a message of its own.
  if (getField(error, "syscall") !== undefined) return failed;
  const code = findCode(error);
  const known = (options.tls ? [closedBeforeTls, ...reasons] : reasons).find(([pattern]) => pattern.test(code ?? ""));
  if (known === undefined) return failed;
  const [, reason, advice] = known;
  return withMessage(failed, `EIO: MongoDB did not answer (${code}: ${reason}); ${advice}`);
}

function withMessage({ cause }: MemoryError, message: string): MemoryError {
  return new MemoryError("EIO", message, { cause });
}

/** Returns the driver's error, or an error that names the hosts around it. */
function nameHosts(error: unknown, { srvHost, hosts }: MongoClient["options"]): unknown {
  const names = srvHost === undefined ? hosts.map(String) : [srvHost];
  const message = error instanceof Error ? error.message : String(error);
  if (names.some((name) => message.includes(name))) return error;
  return new Error(`${names.join(", ")}: ${message}`, { cause: error });
}

/** Finds the code of the system's error behind an error of the driver. A selection error has one for each server. */
function findCode(error: unknown): string | null {
  for (let inner: unknown = error; isObject(inner); inner = getField(inner, "cause")) {
    const code = getField(inner, "code");
    if (typeof code === "string") return code;
    const servers = getField(getField(inner, "reason"), "servers");
    if (servers instanceof Map) {
      const descriptions = [...servers.values()] as Partial<ServerDescription>[]; // the driver's own
      const codes = descriptions.map((description) => findCode(description.error));
      if (codes.every((each) => each !== null)) return codes.at(-1) ?? null;
    }
  }
  return null;
}
