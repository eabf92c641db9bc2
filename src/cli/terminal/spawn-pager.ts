import { spawn } from "node:child_process";
import { once } from "node:events";
import type { CliIo, Pager } from "./io.js";

/** As git gives it: ends where all fits on one screen, passes colours on, and leaves what it has shown. */
const lessOptions = "FRX";

/** @param command of the shell; null for `less`. @returns null where the program is missing */
export async function spawnPager(command: string | null, env: CliIo["env"]): Promise<Pager | null> {
  const child = spawn(command ?? "less", [], {
    shell: command !== null,
    env: { LESS: lessOptions, ...env },
    stdio: ["pipe", "inherit", "inherit"],
  });
  const closed = once(child, "close");
  // Told below, or by `close` after that.
  closed.catch(() => undefined);
  try {
    await once(child, "spawn");
  } catch {
    return null;
  }
  const stream = Object.assign(child.stdin, { isTTY: true });
  return {
    stream,
    close: async () => {
      stream.end();
      const [exitCode] = (await closed) as [number | null];
      return exitCode ?? 0;
    },
  };
}
