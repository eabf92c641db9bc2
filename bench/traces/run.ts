import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  type ReadableSpan,
  SamplingDecision,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Machine, machineLine } from "../measuring/machine.js";
import { type Call, measureSides, median, sink } from "../measuring/measure.js";
import { inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import { rangeOf, row, tableHead } from "../measuring/table.js";
import { builtPackage } from "../package/built-package.js";

type Memory = ReturnType<Awaited<ReturnType<typeof builtPackage>>["openMemory"]>;

const states = ["absent", "present", "sampledOut", "recorded"] as const;
type State = (typeof states)[number];

const goal = 1.02;
const iterations = 240;
/** What is too short for the clock is done so often in one timing. */
const inProcessRepeats = 20;

/** Where the copies of the API find what an SDK has registered. */
const key = Symbol.for("opentelemetry.js.api.1");
const slot = globalThis as { [key]?: object };

/** Calls of a memory without the API of OpenTelemetry, with it, and with an SDK. */
export async function measureTraces(rounds: number): Promise<string> {
  const to = registeredStates();
  return onServer("standalone", async (uri) => {
    const mongod = await mongodVersion(uri);
    const measured = await inDatabase(uri, {}, async (client, dbName) => {
      const { MongoMemoryStore, openMemory } = await builtPackage();
      const stored = new MongoMemoryStore({ client, dbName, memoryWriteConcern: { w: 1, journal: false } }).memory({
        nodeId: "bench",
      });
      const held = openMemory(new InMemoryStore(), { nodeId: "bench" });
      return {
        ...(await measureCalls("in process", held, { to, rounds, repeats: inProcessRepeats })),
        ...(await measureCalls("on MongoDB", stored, { to, rounds, repeats: 1 })),
      };
    });
    return reportOf(measured, { mongod, rounds });
  });
}

/** Puts the process into one of the states. */
type Switch = Record<State, () => void>;

/**
 * One SDK, whose sampler takes spans or not, is taken away and put back: the API keeps the first one that it has asked.
 */
function registeredStates(): Switch {
  const sampler = {
    decision: SamplingDecision.NOT_RECORD,
    shouldSample: () => ({ decision: sampler.decision }),
    toString: () => "switched",
  };
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => (sink.value = span),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler, spanProcessors: [processor] }));
  const withSdk = slot[key] ?? {};
  const without = Object.fromEntries(
    Object.entries(withSdk).filter(([name]) => name !== "trace" && name !== "context"),
  );
  const record = (decision: SamplingDecision) => () => {
    slot[key] = withSdk;
    sampler.decision = decision;
  };
  return {
    absent: () => delete slot[key],
    present: () => (slot[key] = without),
    sampledOut: record(SamplingDecision.NOT_RECORD),
    recorded: record(SamplingDecision.RECORD_AND_SAMPLED),
  };
}

type Rounds = Record<State, number>[];

async function measureCalls(
  where: string,
  memory: Memory,
  { to, rounds, repeats }: { to: Switch; rounds: number; repeats: number },
): Promise<Record<string, Rounds>> {
  await memory.write("/notes/today", "buy milk");
  const calls: Record<string, () => Promise<unknown>> = {
    read: () => memory.read("/notes/today"),
    update: () => memory.update("/notes/today", "milk", "milk"),
    list: () => memory.list("/notes"),
  };
  const measured: Record<string, Rounds> = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, call] of Object.entries(calls)) {
      const inState =
        (state: State): Call =>
        async () => {
          to[state]();
          for (let repeat = 0; repeat < repeats; repeat += 1) sink.value = await call();
        };
      const sides = {
        absent: inState("absent"),
        present: inState("present"),
        sampledOut: inState("sampledOut"),
        recorded: inState("recorded"),
      };
      const medians = await measureSides(sides, iterations);
      if (round > 0)
        (measured[`${name}, ${where}`] ??= []).push(
          Object.fromEntries(states.map((state) => [state, medians[state] / repeats])) as Record<State, number>,
        );
    }
  }
  return measured;
}

async function reportOf(measured: Record<string, Rounds>, machine: Machine): Promise<string> {
  const rows = Object.entries(measured).map(([name, each]) => {
    const absentMs = median(each.map(({ absent }) => absent));
    return row([
      name,
      `${(absentMs * 1000).toFixed(1)} µs`,
      ratioCell(each, "present", goal),
      ratioCell(each, "sampledOut", Infinity),
      ratioCell(each, "recorded", Infinity),
    ]);
  });
  const head = tableHead(["call", "without the API", "with it, no SDK", "SDK, sampled out", "SDK, recorded"]);
  return ["## Measured", "", await machineLine(machine), "", ...head, ...rows, ""].join("\n");
}

function ratioCell(each: Rounds, state: State, limit: number): string {
  const ratios = each.map((times) => times[state] / times.absent);
  const ratio = median(ratios);
  const shown = ratio > limit ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2);
  return `${shown} ${rangeOf({ ratioMin: Math.min(...ratios), ratioMax: Math.max(...ratios) })}`;
}
