import { Semaphore } from "async-mutex";
import fc from "fast-check";
import type { Findings } from "./findings.js";
import type { Ground, Place, Target, Timed } from "./target.js";
import type { UnderWay } from "./watchdog.js";

export const maxCallMs = 1000;
/** A call that takes longer has hung. */
const hungMs = 60_000;
/** For smaller inputs that fail too. */
const shrinkMs = 20_000;
/** Cases under way at once. */
const workers = 8;

/** What became of the cases of a target. */
export interface Tally {
  cases: number;
  outcomes: Map<string, number>;
  slowestMs: number;
  /** Calls that took too long among others, and not when repeated alone. */
  slowOnce: number;
}

export interface RunOptions {
  targets: readonly Target[];
  count: number;
  seed: number;
  ground: Ground;
  findings: Findings;
  underWay: UnderWay;
  /** Called where nothing is under way, after so many cases. */
  onQuiet: (cases: number) => Promise<void>;
}

interface Job {
  target: Target;
  seed: number;
  cases: number;
}

/** Runs cases of all targets, several at once; what must not be goes to `findings`. */
export class CaseRun {
  readonly tallies: Map<string, Tally>;
  readonly #options: RunOptions;
  readonly #room = new Semaphore(workers);
  #isStopped = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.tallies = new Map(
      options.targets.map(({ name }) => [name, { cases: 0, outcomes: new Map(), slowestMs: 0, slowOnce: 0 }]),
    );
  }

  get cases(): number {
    return [...this.tallies.values()].reduce((sum, { cases }) => sum + cases, 0);
  }

  /** Begins no further place. */
  stop(): void {
    this.#isStopped = true;
  }

  async run(): Promise<void> {
    const jobs = this.#jobs();
    const marks = new Set([0.1, 0.5].map((part) => Math.ceil(jobs.length * part)));
    const total = jobs.length;
    const work = async (): Promise<void> => {
      for (let job = jobs.shift(); job !== undefined && !this.#isStopped; job = jobs.shift()) {
        await this.#runJob(job);
        if (marks.delete(total - jobs.length)) await this.#alone(() => this.#options.onQuiet(this.cases));
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    await this.#options.onQuiet(this.cases);
  }

  /** Those of a target spread over the whole run. */
  #jobs(): Job[] {
    const { targets, count, seed } = this.#options;
    const shares = targets.reduce((sum, { share }) => sum + share, 0);
    const jobs = targets.flatMap((target) => {
      const cases = Math.ceil((count * target.share) / shares);
      const places = Math.ceil(cases / target.casesAPlace);
      return Array.from({ length: places }, (_, index) => ({
        at: (index + 0.5) / places,
        job: {
          target,
          seed: (seed + index) | 0,
          cases: Math.min(target.casesAPlace, cases - index * target.casesAPlace),
        },
      }));
    });
    return jobs.toSorted((a, b) => a.at - b.at).map(({ job }) => job);
  }

  async #runJob({ target, seed, cases }: Job): Promise<void> {
    const { ground, findings, underWay } = this.#options;
    const tally = this.tallies.get(target.name);
    if (tally === undefined) return;
    const again = `npm run fuzz -- --only ${target.name} --seed ${seed} --count ${cases}`;
    const leave = underWay.enter(again);
    try {
      const place = await target.begin(ground, `${target.name} ${seed}`, seed);
      const runCase = this.#caseOf(place, tally);
      const details = await fc.check(fc.asyncProperty(place.inputs, runCase), { seed, numRuns: cases });
      if (details.failed) {
        findings.add(target.name, again, details.errorInstance, details.counterexample?.[0]);
      }
      await place.end();
    } catch (error) {
      findings.add(target.name, again, error);
    } finally {
      leave();
    }
  }

  #caseOf(place: Place<unknown>, tally: Tally): (input: unknown) => Promise<void> {
    let shrinksUntil = Number.POSITIVE_INFINITY;
    return async (input) => {
      if (performance.now() > shrinksUntil) return;
      try {
        const { outcome, ms } = await this.#room.runExclusive(() => measured(place, input));
        if (ms > maxCallMs) await this.#repeat(place, input, ms, tally);
        if (shrinksUntil !== Number.POSITIVE_INFINITY) return;
        tally.cases += 1;
        tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
        if (ms <= maxCallMs) tally.slowestMs = Math.max(tally.slowestMs, ms);
      } catch (error) {
        shrinksUntil = Math.min(shrinksUntil, performance.now() + shrinkMs);
        throw error;
      }
    };
  }

  /** Others at work make any call slow: only one that is slow alone, too, is a finding. */
  async #repeat(place: Place<unknown>, input: unknown, ms: number, tally: Tally): Promise<void> {
    const again = await this.#alone(() => measured(place, input));
    if (again.ms > maxCallMs) throw new Error(`a call took ${Math.round(ms)} ms, and ${Math.round(again.ms)} ms alone`);
    tally.slowOnce += 1;
    tally.slowestMs = Math.max(tally.slowestMs, again.ms);
  }

  #alone<T>(run: () => Promise<T>): Promise<T> {
    return this.#room.runExclusive(run, workers);
  }
}

async function measured(place: Place<unknown>, input: unknown): Promise<{ outcome: string; ms: number }> {
  let ms = 0;
  const timed: Timed = async (call) => {
    const start = performance.now();
    try {
      return await call();
    } finally {
      ms += performance.now() - start;
    }
  };
  return { outcome: await inTime(place.call(input, timed)), ms };
}

async function inTime<T>(result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer after ${hungMs} ms`)), hungMs);
  });
  try {
    return await Promise.race([result, hung]);
  } finally {
    clearTimeout(timer);
  }
}
