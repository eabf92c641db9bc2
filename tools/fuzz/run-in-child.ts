import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TargetReport } from "./report.js";

/** Far more than the inputs take. */
const maxHeapMb = 1024;
/** A child that reports no case for this time is blocked. */
const maxSilenceMs = 120_000;
const maxStderrChars = 4000;

export interface ChildTask {
  name: string;
  cases: number;
  seed: number;
  timeMs: number;
  uri: string;
  dbName: string;
  folder: string;
}

/** The case that begins, or the report at the end. */
export type ChildMessage = { input: string; repeat: string } | { report: TargetReport };

/** Runs a target in a process of its own. If the process does not survive, the last case is the finding. */
export async function runInChild(task: ChildTask): Promise<TargetReport> {
  const child = fork(fileURLToPath(new URL("child.ts", import.meta.url)), [JSON.stringify(task)], {
    execArgv: [...process.execArgv, `--max-old-space-size=${maxHeapMb}`],
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  let report: TargetReport | undefined;
  let cases = 0;
  let last = { input: "(before the first case)", repeat: `npm run fuzz -- --target ${task.name} --seed ${task.seed}` };
  let stderr = "";
  let isBlocked = false;
  const watchdog = setTimeout(() => {
    isBlocked = true;
    child.kill("SIGKILL");
  }, maxSilenceMs);
  child.on("message", (message: ChildMessage) => {
    watchdog.refresh();
    if ("report" in message) report = message.report;
    else {
      last = message;
      cases += 1;
    }
  });
  child.stderr?.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-maxStderrChars)));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(watchdog);
  if (report !== undefined) return report;
  const error = isBlocked
    ? `the event loop was blocked for ${maxSilenceMs} ms`
    : `the process ended with ${signal ?? `exit code ${code}`}: ${stderr}`;
  const findings = [{ error, ...last }];
  const { name, seed } = task;
  return {
    name,
    seed,
    cases,
    outcomes: {},
    slowestCallMs: 0,
    longestSliceMs: isBlocked ? maxSilenceMs : 0,
    longestSliceSteps: 0,
    longestSliceInput: isBlocked ? last.input : "",
    findings,
  };
}
