import fc from "fast-check";
import { CallMeter } from "./call-meter.js";
import { describeError, describeInput, type Finding, type TargetReport } from "./report.js";
import type { Environment, Sandbox, Target } from "./target.js";

/** A call without an answer after this time hangs. Calls that block the event loop are ended by the parent process. */
const hangsAfterMs = 60_000;

export interface RunOptions {
  cases: number;
  seed: number;
  /** After this time no further case begins. */
  timeMs: number;
  /** A call that takes longer, also when repeated, is a finding. */
  maxCallMs: number;
  /** More steps without a pause are a finding. */
  maxSliceSteps: number;
  /** Called before each case, because a case may end the process. */
  onCase?: (input: unknown, repeat: string) => void;
}

/** Runs cases of a target in one sandbox after another, each by fast-check's runner with a seed of its own. */
export async function runTarget(target: Target, environment: Environment, options: RunOptions): Promise<TargetReport> {
  const run = new TargetRun(target, environment, options);
  const endsAt = performance.now() + options.timeMs;
  const cases = { left: options.cases, seed: options.seed };
  while (cases.left > 0 && performance.now() < endsAt) {
    const count = Math.min(target.casesPerSandbox, cases.left);
    await run.runSandbox(cases.seed, count, endsAt);
    cases.left -= count;
    cases.seed = (cases.seed + 1) | 0;
  }
  return run.report();
}

class TargetRun {
  readonly #target: Target;
  readonly #environment: Environment;
  readonly #options: RunOptions;
  readonly #meter = new CallMeter();
  readonly #outcomes: Record<string, number> = {};
  readonly #findings: Finding[] = [];
  #cases = 0;

  constructor(target: Target, environment: Environment, options: RunOptions) {
    this.#target = target;
    this.#environment = environment;
    this.#options = options;
  }

  report(): TargetReport {
    const { slowestCallMs, longestSlice, mostSteps } = this.#meter;
    return {
      name: this.#target.name,
      seed: this.#options.seed,
      cases: this.#cases,
      outcomes: this.#outcomes,
      slowestCallMs,
      longestSliceMs: longestSlice.ms,
      longestSliceSteps: mostSteps,
      longestSliceInput: longestSlice.ms === 0 ? "" : describeInput(longestSlice.input),
      findings: this.#findings,
    };
  }

  async runSandbox(seed: number, count: number, endsAt: number): Promise<void> {
    const repeat = (cases: number): string =>
      `npm run fuzz -- --target ${this.#target.name} --seed ${seed} --cases ${cases}`;
    try {
      const sandbox = await this.#target.open(this.#environment, `${this.#target.name} ${seed}`, seed);
      const details = await fc.check(this.#property(sandbox, repeat), {
        seed,
        numRuns: count,
        interruptAfterTimeLimit: Math.max(1, endsAt - performance.now()),
      });
      this.#cases += details.numRuns;
      if (details.failed)
        this.#add({
          error: describeError(details.errorInstance),
          ...(details.counterexample !== null && { input: describeInput(details.counterexample[0]) }),
          repeat: repeat(details.numRuns),
        });
      await sandbox.close();
    } catch (error) {
      this.#add({ error: describeError(error), repeat: repeat(count) });
    }
  }

  #property(sandbox: Sandbox<unknown>, repeat: (cases: number) => string): fc.IAsyncProperty<[unknown]> {
    let begun = 0;
    let isShrinking = false;
    const property = fc.asyncProperty(sandbox.inputs, async (input) => {
      if (!isShrinking) begun += 1;
      this.#options.onCase?.(input, repeat(begun));
      try {
        const outcome = await this.#call(sandbox, input);
        if (!isShrinking) this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
      } catch (error) {
        isShrinking = true;
        throw error;
      }
    });
    return property;
  }

  /** A busy machine makes any call slow, so a slow call is repeated before it is a finding. */
  async #call(sandbox: Sandbox<unknown>, input: unknown): Promise<string> {
    const { maxCallMs, maxSliceSteps } = this.#options;
    const first = await withinTime(this.#meter.runCase(sandbox, input));
    if (first.steps > maxSliceSteps)
      throw new Error(`a call blocked the event loop for ${first.steps} steps, of at most ${maxSliceSteps}`);
    if (first.ms <= maxCallMs) return first.outcome;
    const second = await withinTime(this.#meter.runCase(sandbox, input));
    if (second.ms > maxCallMs)
      throw new Error(`a call took ${Math.round(first.ms)} ms, and ${Math.round(second.ms)} ms when repeated`);
    return first.outcome;
  }

  /** The same fault in another sandbox is reported once. */
  #add(finding: Finding): void {
    const kind = ({ error }: Finding): string => error.split("\n", 1)[0]?.replaceAll(/[0-9a-f-]{8,}|\d+/g, "#") ?? "";
    if (!this.#findings.some((other) => kind(other) === kind(finding))) this.#findings.push(finding);
  }
}

async function withinTime<T>(result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer after ${hangsAfterMs} ms`)), hangsAfterMs);
  });
  try {
    return await Promise.race([result, hung]);
  } finally {
    clearTimeout(timer);
  }
}
