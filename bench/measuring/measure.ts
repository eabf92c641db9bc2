export type Call = (iteration: number) => Promise<unknown>;

export interface Pair {
  ours: Call;
  theirs: Call;
  /** Untimed, after each iteration. */
  restore?: Call;
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

/** One round of two sides. Answers the median of each. */
export async function measureRound({ ours, theirs, restore }: Pair, iterations: number): Promise<Sample> {
  const medians = await measureSides({ ours, theirs }, iterations, restore);
  return { oursMs: medians.ours, theirsMs: medians.theirs };
}

/** One round: the sides take turns, in every order of them in turn. Answers the median of each. */
export async function measureSides<Side extends string>(
  sides: Record<Side, Call>,
  iterations: number,
  restore?: Call,
): Promise<Record<Side, number>> {
  const runs = Object.entries<Call>(sides).map(([side, call]) => ({ side, call, times: [] as number[] }));
  const orders = ordersOf(runs);
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    for (const { call, times } of orders[iteration % orders.length] ?? [])
      times.push(await timed(() => call(iteration)));
    await restore?.(iteration);
  }
  return Object.fromEntries(runs.map(({ side, times }) => [side, median(times)])) as Record<Side, number>;
}

export function ordersOf<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((first) => ordersOf(values.filter((value) => value !== first)).map((rest) => [first, ...rest]));
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
