import { type Case, measureCases, type Result } from "../measuring/measure.js";
import { inDatabase, notWaiting } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import type { OperationName } from "./operations.js";
import { createSides, type StoreSides } from "./sides.js";

/** At most so many times the raw driver. */
function getRawGoal(name: OperationName): number {
  if (name.startsWith("listNamespaces")) return 1.35;
  return name.startsWith("search") || isBatch(name) ? 1.25 : 1.18;
}

const officialGoals: Partial<Record<OperationName, number>> = {
  "get hit": 60,
  "batch of 100 gets": 300,
  "batch of 100 puts": 300,
};
/** At which the official store should be so many times slower. */
const goalCount = 100_000;

/** Every operation on every size: ours against the driver, and the official store against ours. */
export function measureAgainstOthers(
  uri: string,
  { rounds, itemCounts }: Settings,
): Promise<{ raw: Result[]; official: Result[] }> {
  return inDatabase(uri, { writeConcern: notWaiting }, async (client, dbName) => {
    const raw: Case[] = [];
    const official: Case[] = [];
    for (const count of itemCounts) {
      const sides = await createSides(client, dbName, count);
      raw.push(...compareWithRaw(sides, count));
      official.push(...compareWithOfficial(sides, count));
    }
    return {
      raw: await measureCases(raw, { rounds }),
      // Call by call, ours would always come after a scan of the other, which leaves nothing in the processor's caches.
      official: await measureCases(official, { rounds, inTurns: false }),
    };
  });
}

const toColumn = (count: number): string => `${count.toLocaleString("en-US")} items`;

function compareWithRaw({ ours, raw }: StoreSides, count: number): Case[] {
  const shared = { column: toColumn(count), iterations: 100 };
  const noise = { row: "noise", ours: raw.operations["get hit"], theirs: raw.operations["get hit"] };
  const names = Object.keys(ours.operations) as OperationName[];
  return [
    ...names.map((name) => ({
      ...shared,
      row: name,
      ours: ours.operations[name],
      theirs: raw.operations[name],
      iterations: isBatch(name) || name.startsWith("listNamespaces") ? 30 : 100,
      atMost: getRawGoal(name),
      restore: (side: "ours" | "theirs", iteration: number) => (side === "ours" ? ours : raw).restore(name, iteration),
    })),
    { ...shared, ...noise },
  ];
}

function compareWithOfficial({ ours, official }: StoreSides, count: number): Case[] {
  const names = Object.keys(ours.operations) as OperationName[];
  return names.map((name) => {
    const goal = officialGoals[name];
    return {
      row: name,
      column: toColumn(count),
      ours: official.operations[name],
      theirs: ours.operations[name],
      iterations: countOfficialCalls(name, count),
      ...(goal !== undefined && count === goalCount && { atLeast: goal }),
      restore: (side, iteration) => (side === "ours" ? official : ours).restore(name, iteration),
    } satisfies Case;
  });
}

const isBatch = (name: OperationName): boolean => name.startsWith("batch");

/** The official store reads the whole collection each time. */
function countOfficialCalls(name: OperationName, count: number): number {
  if (count >= 100_000) return isBatch(name) ? 3 : 5;
  if (count >= 10_000) return isBatch(name) ? 3 : 15;
  return isBatch(name) ? 5 : 30;
}
