import { type Profiler, Session } from "node:inspector";

// Only scripts that are compiled from now on count their blocks.
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** Stops counting. All scripts of the process run more slowly until then, also those of later tests. */
export function stopCounting(): void {
  session.disconnect();
}

/** How often the functions and the blocks of some scripts have run since this was last asked, for any scripts. */
export function takeSteps(scripts: RegExp): number {
  let coverage: Profiler.ScriptCoverage[] = [];
  // It answers before it returns.
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error !== null) throw error;
    coverage = answer.result;
  });
  const ranges = coverage
    .filter(({ url }) => scripts.test(url))
    .flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Counts how often the functions and blocks of some scripts run during the work. This number of steps does not depend
 * on the load of the machine. The scripts must not have run before this module was loaded.
 */
export async function countSteps(scripts: RegExp, work: () => Promise<unknown>): Promise<number> {
  takeSteps(scripts);
  await work();
  return takeSteps(scripts);
}

/**
 * How many of these steps the work makes at most before others have the event loop. Reading the counters after each
 * turn costs some 50 ms late in a long test run, so give it work of about 100 turns.
 */
export async function countLongestSlice(scripts: RegExp, work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  const endSlice = (): void => void (longest = Math.max(longest, takeSteps(scripts)));
  takeSteps(scripts);
  let next = setImmediate(function take() {
    endSlice();
    next = setImmediate(take);
  });
  await work().finally(() => clearImmediate(next));
  endSlice();
  return longest;
}
