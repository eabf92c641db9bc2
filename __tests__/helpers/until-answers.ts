import { setTimeout as sleep } from "node:timers/promises";
import type { Memory } from "../../src/index.js";

/**
 * Waits until commands need not wait for a connection. On a busy machine, clients with short timeouts may get no
 * connection in time: at first, and after the server was away, because drivers notice its return only at their next
 * heartbeat.
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
 * Waits at most five minutes for an effect that follows a call. A driver checks only every ten seconds whether a server
 * is back, and a busy machine takes longer.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 6000; attempt += 1) {
    if (await isSo()) return;
    await sleep(50);
  }
  throw new Error("it did not happen within five minutes");
}
