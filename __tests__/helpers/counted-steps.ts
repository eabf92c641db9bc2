import { Session } from "node:inspector/promises";

// Only what is compiled from now on counts its blocks.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/**
 * How often the functions and the blocks of some scripts run during the work: its steps, whatever the machine does
 * beside. The scripts must not have run before this module was loaded.
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
