import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { keepSecret } from "../../tools/fuzz/oracle.js";
import type { Finding, TargetReport } from "../../tools/fuzz/report.js";
import { runTarget } from "../../tools/fuzz/run-target.js";
import { toSandbox, type Environment, type Target } from "../../tools/fuzz/target.js";
import { targets } from "../../tools/fuzz/targets.js";
import { TimeSlices } from "../../src/core/runtime/time-slices.js";
import { quickFolder } from "../helpers/mongo-servers.js";
import { repetitions } from "../helpers/repetitions.js";
import { testDatabase } from "../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase("standalone");
let environment: Environment;

beforeAll(async () => {
  const folder = await mkdtemp(join(await quickFolder(), "fuzz-"));
  keepSecret(folder);
  environment = { client, uri, dbName, folder };
});

afterAll(() => rm(environment.folder, { recursive: true, force: true }));

const options = { timeMs: 600_000, maxCallMs: 60_000, maxSliceSteps: 10_000_000 };

test.each(targets.map((target) => ({ ...target })))("a few cases of $name have no finding", async (target) => {
  const cases = repetitions({ usual: 2, long: 10 });
  // A seed chooses the storage and the dialect too.
  for (const seed of [1, 2, 3, 4, 5]) {
    const report = await runTarget(target, environment, { ...options, cases, seed });
    expect(report).toMatchObject({ name: target.name, cases, findings: [] });
  }
});

function toTarget(call: (input: number) => Promise<string>): Target {
  return {
    name: "numbers",
    tries: "numbers",
    casesPerSandbox: 50,
    open: () => Promise.resolve(toSandbox({ inputs: fc.nat(1000), call, close: () => Promise.resolve() })),
  };
}

const assertSmall = (input: number): Promise<string> =>
  input < 10 ? Promise.resolve("small") : Promise.reject(new Error(`${input} is too large`));

test("a finding has the smallest input, and a command that repeats it", async () => {
  const report = await runTarget(toTarget(assertSmall), environment, { ...options, cases: 120, seed: 7 });
  expect(report.findings).toHaveLength(1);
  expect(report.findings[0]).toMatchObject({ input: "10", error: expect.stringContaining("10 is too large") });

  const repeat = /^npm run fuzz -- --target numbers --seed (\d+) --cases (\d+)$/.exec(report.findings[0]?.repeat ?? "");
  const [seed, cases] = [Number(repeat?.[1]), Number(repeat?.[2])];
  const again = await runTarget(toTarget(assertSmall), environment, { ...options, cases, seed });
  // The error has its stack, which names the line of the caller.
  const withoutError = ({ error: _error, ...finding }: Finding): object => finding;
  expect(again.findings.map(withoutError)).toEqual(report.findings.map(withoutError));
});

test("a call that is slow twice is a finding, and the longest block of the event loop is measured", async () => {
  const target: Target = {
    ...toTarget(assertSmall),
    open: () =>
      Promise.resolve(
        toSandbox({
          inputs: fc.constant("input"),
          call: (_input, measure) => measure(async () => blockFor(50)),
          close: () => Promise.resolve(),
        }),
      ),
  };
  const report = await runTarget(target, environment, { ...options, maxCallMs: 40, cases: 1, seed: 7 });
  expect(report.findings).toMatchObject([{ error: expect.stringContaining("when repeated") }]);
  expect(report.longestSliceMs).toBeGreaterThanOrEqual(50);
  expect(report.longestSliceInput).toBe('"input"');
});

test("a call that makes many steps without a pause is a finding, and one that pauses is none", async () => {
  const run = (isPausing: boolean): Promise<TargetReport> => {
    const work = async (): Promise<string> => {
      const turns = new TimeSlices(null);
      for (let step = 0; step < 400_000; step += 1) {
        turns.isOver();
        if (isPausing && step % 40_000 === 0) await setTimeout(10);
      }
      return "ok";
    };
    const sandbox = toSandbox({
      inputs: fc.constant("input"),
      call: (_input, measure) => measure(work),
      close: () => Promise.resolve(),
    });
    const target: Target = { ...toTarget(assertSmall), open: () => Promise.resolve(sandbox) };
    return runTarget(target, environment, { ...options, maxSliceSteps: 300_000, cases: 1, seed: 7 });
  };
  const blocked = await run(false);
  expect(blocked.findings).toMatchObject([{ error: expect.stringMatching(/blocked the event loop for \d+ steps/) }]);
  expect(blocked).toMatchObject({ longestSliceInput: '"input"' });
  expect(blocked.longestSliceSteps).toBeGreaterThanOrEqual(400_000);
  expect((await run(true)).findings).toEqual([]);
});

test("no case begins after the time is up", async () => {
  const report = await runTarget(toTarget(assertSmall), environment, { ...options, timeMs: 0, cases: 10, seed: 7 });
  expect(report).toMatchObject({ cases: 0, findings: [] });
});

function blockFor(ms: number): string {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return "ok";
}
