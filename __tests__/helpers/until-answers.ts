import { setTimeout as sleep } from "node:timers/promises";
import type { Memory } from "../../src/core/memory.js";

/**
 * Waits until commands need not wait for a connection, which clients with short timeouts may not get in time on a busy
 * machine: at first, and after the server was away, as drivers notice only at their next heartbeat that it is back.
 */
export async function untilAnswers(memory: Memory): Promise<void> {
  for (;;) {
    const answered = await memory.stat("/").then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(50);
  }
}

/**
 * Waits for what happens behind a call, at most a minute: a driver looks every ten seconds only whether a server is
 * back.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    if (await isSo()) return;
    await sleep(50);
  }
  throw new Error("it did not happen within a minute");
}
