import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { getErrorCode } from "./fs-errors.js";

/** Tells a process from all others, those of other machines, boots and containers too. */
export interface ProcessIdentity {
  /** Where its number means this process: machine, boot, and the namespaces of a container. */
  place: string;
  pid: number;
  /** When it started, as a number is given again to later processes. */
  started: string;
}

let own: ProcessIdentity | null | undefined;

/** Null where the system does not tell enough: elsewhere than on Linux. */
export function ownIdentity(): ProcessIdentity | null {
  if (own === undefined) own = process.platform === "linux" ? read() : null;
  return own;
}

/** Whether a process has ended for certain: no thread of it is left. False where that cannot be known here. */
export function hasEnded({ place, pid, started }: ProcessIdentity): boolean {
  if (place !== ownIdentity()?.place) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === "ESRCH";
  }
  const startedNow = readStartTime(pid);
  return startedNow !== null && startedNow !== started;
}

function read(): ProcessIdentity | null {
  try {
    const parts = [
      hostname(),
      readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
      // A process number counts in its own namespace, and the start time in that of time.
      ...["pid", "time"].map((namespace) => readlinkSync(`/proc/self/ns/${namespace}`)),
    ];
    const started = readStartTime(process.pid);
    if (started === null) return null;
    return {
      place: createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32),
      pid: process.pid,
      started,
    };
  } catch {
    return null;
  }
}

/** In ticks since the boot; null where it is not shown. */
function readStartTime(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets, which may hold anything. The start is the 22nd.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
