import { measureSides } from "../measuring/measure.js";
import type { MeasuredCall, VersionCall } from "./calls.js";
import { type ByVersion, versionNames } from "./versions.js";

type Sides = ByVersion<VersionCall>;

/** Every call a little in every round, so that a slow spell of the machine hits all alike. */
export async function measureRounds(calls: ByVersion<VersionCall[]>, rounds: number): Promise<MeasuredCall[]> {
  const cases = sidesOf(calls).map((sides) => ({ sides, measured: unmeasured(sides) }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { sides, measured } of cases) {
      const isWarmUp = round === 0;
      if (isWarmUp) measured.answersDiffer = await doAnswersDiffer(sides);
      const medians = await measureCall(sides);
      if (!isWarmUp) measured.rounds.push(medians);
    }
  }
  return cases.map(({ measured }) => measured);
}

/** The calls that both versions have. */
function sidesOf({ now, earlier, copy }: ByVersion<VersionCall[]>): Sides[] {
  return now.flatMap((call) => {
    const [before, again] = [earlier, copy].map((others) => others.find(({ name }) => name === call.name));
    return before && again ? [{ now: call, earlier: before, copy: again }] : [];
  });
}

function unmeasured({ now: { area, name, iterations } }: Sides): MeasuredCall {
  return { area, name, iterations, rounds: [], answersDiffer: false };
}

async function measureCall(sides: Sides): Promise<ByVersion<number>> {
  const { now, earlier, copy } = sides;
  for (const version of versionNames) await sides[version].reset?.();
  return measureSides({ now: now.call, earlier: earlier.call, copy: copy.call }, now.iterations, async (iteration) => {
    for (const version of versionNames) await sides[version].restore?.(iteration);
  });
}

async function doAnswersDiffer(sides: Sides): Promise<boolean> {
  const answers: string[] = [];
  for (const version of versionNames) {
    const { reset, call, restore } = sides[version];
    await reset?.();
    answers.push(withoutTimes(await call(0)));
    await restore?.(0);
  }
  return new Set(answers).size > 1;
}

function withoutTimes(answer: unknown): string {
  return JSON.stringify({ answer }).replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+/g, "a time");
}
