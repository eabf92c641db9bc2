import { Mutex } from "async-mutex";
import { Bench } from "tinybench";

export type Call = (iteration: number) => Promise<unknown>;

export type Side = "ours" | "theirs";

/** Two ways to do the same work, and where their result stands in a table. */
export interface Case {
  row: string;
  column: string;
  ours: Call;
  theirs: Call;
  /** Calls of each side in a round. */
  iterations: number;
  /** Goals for the ratio of ours to theirs. */
  atMost?: number;
  atLeast?: number;
  /** Before each round. Then the iterations of each round count from 0; else they go on from the last round. */
  prepare?: () => Promise<unknown>;
  /** After each call. Nothing of it is timed. */
  restore?: (side: Side, iteration: number) => Promise<unknown>;
}

/** Medians of the rounds, and how far single rounds were from that of the ratio. */
export interface Result extends Omit<Case, Side> {
  ratio: number;
  ratioMin: number;
  ratioMax: number;
  oursMs: number;
  theirsMs: number;
}

export interface MeasureOptions {
  rounds: number;
  /** Rounds before them that do not count, in which the engine prepares the code. Default: 1. */
  warmUps?: number;
  /** What stands for the calls of a round. Default: their median. */
  statistic?: "p50" | "mean";
  /** Whether the sides take turns call by call, and not round by round. Default: true. */
  inTurns?: boolean;
}

/** A little of each case in every round, so that a slow spell of the machine hits all of them. */
export async function measureCases(cases: readonly Case[], options: MeasureOptions): Promise<Result[]> {
  const { rounds, warmUps = 1 } = options;
  const measured = cases.map((each) => ({ each, samples: [] as Record<Side, number>[] }));
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const { each, samples } of measured) {
      const sample = await measureRound(each, round, options);
      if (round >= warmUps) samples.push(sample);
    }
  }
  return measured.map(({ each, samples }) => summarize(each, samples));
}

/** Takes the medians of the rounds. */
export function summarize(about: Omit<Case, Side>, samples: readonly Record<Side, number>[]): Result {
  const ratios = samples.map(({ ours, theirs }) => ours / theirs);
  return {
    ...about,
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    oursMs: median(samples.map(({ ours }) => ours)),
    theirsMs: median(samples.map(({ theirs }) => theirs)),
  };
}

/**
 * tinybench runs tasks one after the other, or all at once. Here both sides start at once, and each call needs a mutex,
 * which serves in the order of asking: so the sides take turns, and only the calls are timed. A turn is two calls, the
 * first one call: ours, theirs, theirs, ours, ours, and so on. So each side comes as often after the other as after
 * itself, and no rhythm of the server, as that of its journal, favours one.
 */
async function measureRound(
  { iterations, prepare, restore, ...sides }: Case,
  round: number,
  { statistic = "p50", inTurns = true }: MeasureOptions,
): Promise<Record<Side, number>> {
  await prepare?.();
  const first = prepare === undefined ? round * iterations : 0;
  const bench = new Bench({ concurrency: inTurns ? "bench" : null, iterations, time: 0, warmup: false, throws: true });
  const turns = new Mutex();
  const order: Side[] = round % 2 === 0 ? ["ours", "theirs"] : ["theirs", "ours"];
  for (const [place, side] of order.entries()) {
    let made = 0;
    let hasTurn = false;
    bench.add(side, () => sides[side](first + made), {
      async: true,
      beforeEach: async () => {
        if (!hasTurn) await turns.acquire();
        hasTurn = true;
      },
      afterEach: async () => {
        await restore?.(side, first + made);
        made += 1;
        hasTurn = made % 2 === place && made < iterations;
        if (!hasTurn) turns.release();
      },
    });
  }
  await bench.run();
  const getTime = (side: Side): number => {
    const result = bench.getTask(side)?.result;
    if (result?.state !== "completed") throw new Error(`${side} ended as ${result?.state}`);
    return result.latency[statistic];
  };
  return { ours: getTime("ours"), theirs: getTime("theirs") };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
