import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { getErrorCode } from "./fs-errors.js";

/** Distinguishes a process from all others, including processes of other machines, boots and containers. */
export interface ProcessIdentity {
  /** The scope of process numbers: a digest of machine, boot, and the namespaces of a container. */
  place: string;
  pid: number;
  /** The start time of the process, because later processes can get the same number. */
  started: string;
}

let own: ProcessIdentity | null | undefined;

/** Returns null on systems other than Linux, because they do not report enough. */
export function ownIdentity(): ProcessIdentity | null {
  if (own === undefined) own = process.platform === "linux" ? read() : null;
  return own;
}

/** Whether a process has ended for certain: none of its threads is left. False if this process cannot know that. */
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
      // A process number is valid in its `pid` namespace, and a start time in its `time` namespace.
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

/** Returns ticks since the boot, or null if the system does not show them. */
function readStartTime(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name of the program in brackets, which may contain anything. The start time is the 22nd.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
