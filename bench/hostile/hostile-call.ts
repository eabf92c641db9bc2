import { monitorEventLoopDelay } from "node:perf_hooks";
import type { MongoClient } from "mongodb";
import type * as deepagents from "../../src/deepagents/index.js";
import type { Memory } from "../../src/core/memory.js";
import { median, timed } from "../measuring/measure.js";
import type { Dialects, Package } from "../package/built-package.js";

/** Where calls are made: each in memories of its own. */
export interface Ground {
  client: MongoClient;
  dbName: string;
  uri: string;
  package: Package;
  dialects: Dialects;
  deepagents: typeof deepagents;
  /** An empty memory, whose address is new. */
  memory: () => Memory;
}

/** A call with the worst input that is known for it. */
export interface HostileCall {
  name: string;
  input: string;
  /** Makes what the call finds, of about so many bytes, and answers the call. */
  prepare: (ground: Ground, bytes: number) => Promise<() => Promise<unknown>>;
}

export const sizes = [10_000, 100_000, 1_000_000] as const;

export interface HostileResult {
  call: HostileCall;
  /** For each size. */
  timesMs: number[];
  /** At the largest size. */
  blockMs: number;
}

/** Each size of the call in turn, `rounds` times after one that is not counted. */
export async function measureHostile(call: HostileCall, ground: Ground, rounds: number): Promise<HostileResult> {
  const samples = sizes.map(() => ({ timesMs: [] as number[], blocksMs: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, bytes] of sizes.entries()) {
      const run = await call.prepare(ground, bytes);
      const { timeMs, blockMs } = await watched(run);
      if (round > 0) samples[index]?.timesMs.push(timeMs);
      if (round > 0) samples[index]?.blocksMs.push(blockMs);
    }
  }
  return {
    call,
    timesMs: samples.map(({ timesMs }) => median(timesMs)),
    blockMs: median(samples.at(-1)?.blocksMs ?? []),
  };
}

const resolutionMs = 1;

/** How long a call takes, and the longest time in which it leaves the event loop to nobody else. */
async function watched(run: () => Promise<unknown>): Promise<{ timeMs: number; blockMs: number }> {
  globalThis.gc?.();
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  await pause();
  delays.reset();
  const timeMs = await timed(run);
  await pause();
  delays.disable();
  return { timeMs, blockMs: Math.max(0, delays.max / 1e6 - resolutionMs) };
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
