import type { MongoClient } from "mongodb";
import { compare, type Comparison, measureRound, type Sample } from "../measuring/measure.js";
import type { Package } from "../package/built-package.js";
import { type OperationName, operationNames } from "./operations.js";
import { type Side, type SideName, sidesOf } from "./sides.js";

export interface StoreBenchOptions {
  package: Package;
  client: MongoClient;
  dbName: string;
  counts: number[];
  rounds: number;
}

export interface StoreResult {
  operation: OperationName | "noise";
  count: number;
  /** Ours against the driver; for noise the driver against itself. */
  raw: Comparison;
  rawIterations: number;
  /**
   * The official store against ours, as many times slower; of ours the time of the same round, taken against the
   * driver.
   */
  official?: Comparison;
  /**
   * The same, both taking turns: then each call of ours comes after a scan of the other, which leaves nothing in a
   * processor's caches.
   */
  officialInTurns?: Comparison;
  officialIterations: number;
  /** The ratio of our time at this size to that at the smallest, in each round. */
  growth: Pick<Comparison, "ratio" | "ratioMin" | "ratioMax">;
}

type Cell = Omit<StoreResult, "raw" | "official" | "officialInTurns" | "growth"> & {
  raw: Sample[];
  official: Sample[];
};

/**
 * Every operation on every size, a little of each in every round, so that a slow spell of the machine hits all alike.
 */
export async function runStoreBench({ counts, rounds, ...options }: StoreBenchOptions): Promise<StoreResult[]> {
  const cases: { count: number; sides: Record<SideName, Side> }[] = [];
  for (const count of counts) cases.push({ count, sides: await sidesOf({ ...options, count }) });
  const cells = new Map<string, Cell>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const { count, sides } of cases) {
      for (const operation of [...operationNames, "noise"] as const) {
        const id = `${operation} ${count}`;
        const rawIterations = iterationsAgainstRaw(operation);
        const officialIterations = iterationsAgainstOfficial(operation, count);
        const cell = cells.get(id) ?? { operation, count, rawIterations, officialIterations, raw: [], official: [] };
        const isWarmUp = round === 0;
        const against = async (pair: [Side, Side], iterations: number, samples: Sample[]): Promise<void> => {
          const sample = await measurePair(pair, operation, iterations);
          if (!isWarmUp) samples.push(sample);
        };
        await against([operation === "noise" ? sides.raw : sides.ours, sides.raw], rawIterations, cell.raw);
        if (operation !== "noise") await against([sides.official, sides.ours], officialIterations, cell.official);
        cells.set(id, cell);
      }
    }
  }
  return [...cells.values()].map((cell) => resultOf(cell, cells.get(`${cell.operation} ${counts[0]}`)));
}

function measurePair([first, second]: [Side, Side], operation: Cell["operation"], iterations: number): Promise<Sample> {
  const name = operation === "noise" ? "get hit" : operation;
  return measureRound(
    {
      ours: first.operations[name],
      theirs: second.operations[name],
      restore: (iteration) => Promise.all([first, second].map((side) => side.restore(name, iteration))),
    },
    iterations,
  );
}

function resultOf({ raw, official, ...cell }: Cell, smallest: Cell | undefined): StoreResult {
  const grown = raw.map((sample, round) => ({
    oursMs: sample.oursMs,
    theirsMs: smallest?.raw[round]?.oursMs ?? Number.NaN,
  }));
  const { ratio, ratioMin, ratioMax } = compare(grown);
  const besideOurs = official.map(({ oursMs }, round) => ({ oursMs, theirsMs: raw[round]?.oursMs ?? Number.NaN }));
  return {
    ...cell,
    raw: compare(raw),
    ...(official.length > 0 && { official: compare(besideOurs), officialInTurns: compare(official) }),
    growth: { ratio, ratioMin, ratioMax },
  };
}

function isBatch(operation: Cell["operation"]): boolean {
  return operation.startsWith("batch");
}

function iterationsAgainstRaw(operation: Cell["operation"]): number {
  return isBatch(operation) || operation.startsWith("listNamespaces") ? 30 : 100;
}

/** The official store reads the whole collection each time. */
function iterationsAgainstOfficial(operation: Cell["operation"], count: number): number {
  if (count >= 100_000) return isBatch(operation) ? 1 : 5;
  if (count >= 10_000) return isBatch(operation) ? 3 : 15;
  return isBatch(operation) ? 5 : 30;
}
