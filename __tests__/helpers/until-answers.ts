import type { Memory } from "../../src/core/memory.js";

/** Waits for a server that is back: drivers notice only at their next heartbeat that it answers again. */
export async function untilAnswers(memory: Memory): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const answered = await memory.stat("/").catch(() => null);
    if (answered !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error("the memory did not answer within 15 s after its server was back");
}
