import { median, ordersOf } from "../measuring/measure.js";
import type { MeasuredCall, NamedCall } from "./calls.js";
import type { VersionProcess } from "./version-process.js";
import { type ByVersion, versionNames } from "./versions.js";

/** So many iterations a version makes before the others have their turn. */
const turn = 6;

/** Every call a little in every round, so that a slow spell of the machine hits all alike. */
export async function measureRounds(processes: ByVersion<VersionProcess>, rounds: number): Promise<MeasuredCall[]> {
  const cases = commonCalls(processes).map((call): MeasuredCall => ({ ...call, rounds: [], answersDiffer: false }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const measured of cases) {
      const isWarmUp = round === 0;
      if (isWarmUp) measured.answersDiffer = await doAnswersDiffer(processes, measured);
      const medians = await measureCall(processes, measured);
      if (!isWarmUp) measured.rounds.push(medians);
    }
  }
  return cases;
}

function commonCalls({ now, ...others }: ByVersion<VersionProcess>): NamedCall[] {
  return now.calls.filter(({ name }) =>
    Object.values(others).every(({ calls }) => calls.some((call) => call.name === name)),
  );
}

/** The versions take turns, in every order of them. */
async function measureCall(
  processes: ByVersion<VersionProcess>,
  { name, iterations }: NamedCall,
): Promise<ByVersion<number>> {
  const times: ByVersion<number[]> = { now: [], earlier: [], copy: [] };
  const orders = ordersOf(versionNames);
  for (let from = 0; from < iterations; from += turn) {
    const question = { call: name, from, to: Math.min(from + turn, iterations), reset: from === 0 };
    for (const version of orders[(from / turn) % orders.length] ?? [])
      times[version].push(...(await processes[version].ask(question)).times);
  }
  return { now: median(times.now), earlier: median(times.earlier), copy: median(times.copy) };
}

async function doAnswersDiffer(processes: ByVersion<VersionProcess>, { name }: NamedCall): Promise<boolean> {
  const answers: string[] = [];
  for (const version of versionNames)
    answers.push((await processes[version].ask({ call: name, from: 0, to: 1, reset: true })).answer);
  return new Set(answers).size > 1;
}
