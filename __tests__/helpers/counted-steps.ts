import { Session } from "node:inspector/promises";

// Only scripts that are compiled from now on count their blocks.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/**
 * Counts how often the functions and blocks of some scripts run during the work. This number of steps does not depend
 * on the load of the machine. The scripts must not have run before this module was loaded.
 */
export async function countSteps(scripts: RegExp, work: () => Promise<unknown>): Promise<number> {
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ranges = result
    .filter(({ url }) => scripts.test(url))
    .flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}
