import { setTimeout as sleep } from "node:timers/promises";
import type { Memory } from "../../src/core/memory.js";

/**
 * Waits until commands need not wait for a connection, which clients with short timeouts may not get in time on a busy
 * machine: at first, and after the server was away, as drivers notice only at their next heartbeat that it is back.
 */
export async function untilAnswers(memory: Memory): Promise<void> {
  for (;;) {
    const answered = await memory.stat("/").then(() => true, () => false);
    if (answered) return;
    await sleep(50);
  }
}
