export interface Pair {
  ours: (iteration: number) => Promise<unknown>;
  theirs: (iteration: number) => Promise<unknown>;
  /** Untimed, after each iteration. */
  restore?: (iteration: number) => Promise<unknown>;
}

export interface Sample {
  oursMs: number;
  theirsMs: number;
}

export interface Comparison extends Sample {
  ratio: number;
  ratioMin: number;
  ratioMax: number;
}

/** Results land here, so that no engine may leave out the work. */
export const sink: { value: unknown } = { value: undefined };

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  sink.value = await run();
  return performance.now() - start;
}

/** One round: both sides take turns, and take turns in who goes first. Answers the median of each. */
export async function measureRound(pair: Pair, iterations: number): Promise<Sample> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const runOurs = async () => ours.push(await timed(() => pair.ours(iteration)));
    const runTheirs = async () => theirs.push(await timed(() => pair.theirs(iteration)));
    for (const run of iteration % 2 === 0 ? [runOurs, runTheirs] : [runTheirs, runOurs]) await run();
    await pair.restore?.(iteration);
  }
  return { oursMs: median(ours), theirsMs: median(theirs) };
}

/** The median of the rounds, and how far single rounds were from it. */
export function compare(rounds: Sample[]): Comparison {
  const ratios = rounds.map(({ oursMs, theirsMs }) => oursMs / theirsMs);
  return {
    oursMs: median(rounds.map((round) => round.oursMs)),
    theirsMs: median(rounds.map((round) => round.theirsMs)),
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
  };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
