import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "@jest/globals";
import { transform } from "esbuild";
import { documentationPages, isEndless, programsOf } from "../../helpers/documentation.js";
import { quickStart } from "../../../tools/compatibility/first-minutes/quick-start.js";
import { compileInto, installLinked, linkPackages } from "../../helpers/packed-package.js";
import { isLong } from "../../helpers/repetitions.js";
import type { SampleRuns } from "../../helpers/samples-run.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

interface Sample {
  file: string;
  code: string;
}

/** What a sample needs that a new folder and an empty database do not have. */
const needsMore: { file: string; code: RegExp; reason: string }[] = [
  { file: "", code: /^declare /m, reason: "continues a program of the reader" },
  { file: "docs/history.md", code: /history\.(?:at|revert)/, reason: "reads old versions" },
  { file: "docs/move-in.md", code: /conversations\.json/, reason: "reads an export" },
  { file: "docs/other-ways.md", code: /graph\.json/, reason: "reads a file of its page" },
  { file: "docs/writing-a-backend.md", code: /ClientEncryption/, reason: "needs an optional package of the driver" },
];
/** Another test runs the tutorial, whose steps replace parts of one program. */
const samples = documentationPages()
  .filter(({ file }) => file !== "docs/tutorial.md")
  .flatMap(({ file, text }) => programsOf(text).map((code): Sample => ({ file, code })))
  .filter(({ code }) => !isEndless.test(code))
  .filter((sample) => !needsMore.some(({ file, code }) => sample.file.includes(file) && code.test(sample.code)));

/** Outside of the project, with the packed package and nothing else of it. */
const folder = testFolder();
const folderWithAi6 = testFolder();
const { uri, name: dbName } = testDatabase();

beforeAll(async () => {
  await installLinked(folder);
  const others = readdirSync("node_modules").filter((name) => !name.startsWith(".") && name !== "ai");
  await linkPackages(folderWithAi6, others);
  await symlink(resolve("node_modules/ai-6"), join(folderWithAi6, "node_modules/ai"), "junction");
  const ours = "node_modules/langgraph-mongo-memory";
  await symlink(join(folder, ours), join(folderWithAi6, ours), "junction");
});

it("the samples of the pages run as they are printed and end by themselves", async () => {
  expect(await runSamples(samples, folder)).toEqual([]);
});

it("the quick start of the README prints what it says", async () => {
  const { blocks, programs } = await quickStart();
  const [program] = programs;
  await writeFile(join(folder, "quick-start.mjs"), program?.code ?? "");
  const { stdout } = await promisify(execFile)(process.execPath, ["quick-start.mjs"], { cwd: folder });
  expect(stdout).toBe(blocks.find(({ kind }) => kind === "text")?.code);
});

// Version 7 runs them above.
(isLong ? it : it.skip)("the samples for the AI SDK also run with its version 6", async () => {
  const ofAiSdk = samples.filter(({ file }) => file === "docs/ai-sdk.md");
  expect(ofAiSdk.length).toBeGreaterThan(1);
  expect(await runSamples(ofAiSdk, folderWithAi6)).toEqual([]);
});

/** @returns the samples that failed, with the reason */
async function runSamples(taken: readonly Sample[], place: string): Promise<string[]> {
  const compiled = await Promise.all(taken.map(({ code }) => transform(code, { loader: "ts" })));
  const runs: SampleRuns = { folder: place, codes: compiled.map(({ code }) => code), uri, dbName };
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const child = fork(await compileInto(place, "__tests__/helpers/samples-run.ts"), [JSON.stringify(runs)], {
    execArgv: [],
    env,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const faults: string[] = [];
  let errors = "";
  child.on("message", (fault) => faults.push(fault as string));
  child.stderr?.on("data", (text) => (errors += String(text)));
  const [code] = (await once(child, "close")) as [number | null];
  const failed = taken.flatMap(({ file, code: text }, index) => {
    const fault = faults[index] ?? "did not run";
    return fault === "" ? [] : [`${file}\n${text}\n${fault}`];
  });
  return failed.length > 0 || code === 0 ? failed : [`the process ended with ${code}: ${errors}`];
}
