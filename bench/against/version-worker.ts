import { MongoClient } from "mongodb";
import { notWaiting } from "../measuring/servers.js";
import { timed } from "../measuring/measure.js";
import type { VersionCall } from "./calls.js";
import { dialectCalls } from "./dialect-calls.js";
import { connectorCalls, memoryCalls } from "./memory-calls.js";
import type { Server } from "./place.js";
import { storeCalls } from "./store-calls.js";
import type { Answer, Question, WorkerData } from "./version-process.js";
import { loadVersion, type Version } from "./versions.js";

/** The process of one version: it makes the calls of its parts, and runs them when it is asked to. */
const { name, folder, uri, dbName, parts } = JSON.parse(process.argv[2] ?? "") as WorkerData;

const callsOf: Record<string, ((version: Version, server: Server) => Promise<VersionCall[]>)[]> = {
  memory: [memoryCalls, connectorCalls],
  store: [storeCalls],
  dialects: [dialectCalls],
};

const client = new MongoClient(uri, { writeConcern: notWaiting });
const version = await loadVersion(name, new URL(folder));
const calls: VersionCall[] = [];
for (const part of parts)
  for (const make of callsOf[part] ?? []) calls.push(...(await make(version, { client, dbName })));

process.on("message", (question: Question) => void answerTo(question).then(tell));
tell({ calls: calls.map(({ area, name: title, iterations }) => ({ area, name: title, iterations })) });

async function answerTo({ call, from, to, reset }: Question): Promise<Answer> {
  const asked = calls.find(({ name: title }) => title === call);
  if (asked === undefined) throw new Error(`no call ${call}`);
  if (reset) await asked.reset?.();
  const times: number[] = [];
  let answer: unknown;
  for (let iteration = from; iteration < to; iteration += 1) {
    times.push(await timed(async () => (answer = await asked.call(iteration))));
    await asked.restore?.(iteration);
  }
  return { times, answer: withoutTimes(answer) };
}

function withoutTimes(answer: unknown): string {
  return JSON.stringify({ answer }).replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+/g, "a time");
}

function tell(message: object): void {
  process.send?.(message);
}
