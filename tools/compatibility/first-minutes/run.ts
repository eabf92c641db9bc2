import { equal } from "node:assert/strict";
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fixLog } from "../../../__tests__/helpers/fixed-log.js";
import { PrivateMongod, quickFolder } from "../../../__tests__/helpers/mongo-servers.js";
import { openAiStandIn } from "../../../__tests__/helpers/openai-stand-in.js";
import { pack } from "../../../__tests__/helpers/packed-package.js";
import { checkNpx } from "./npx.js";
import { quickStart } from "./quick-start.js";
import { type Environment, run } from "./shell.js";
import { checkSkill } from "./skill.js";

/*
 * What a new user does, in empty folders, with nothing but Node, the packed package and the registry: pastes the
 * README's quick start, copies and runs every example, calls commands by npx, and follows the skill for coding agents.
 */

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const packageName = "langgraph-mongo-memory";

await access("dist").catch(() => {
  throw new Error("there is no dist: run `npm run build` first");
});
const directory = await mkdtemp(join(await quickFolder(), "first-minutes-"));
const mongod = await PrivateMongod.start("standalone");
try {
  const tarball = await pack(directory);
  // All of them end before the folder goes. Otherwise its removal could fail, and hide why a check has failed.
  const results = await Promise.allSettled([
    checkQuickStart(tarball).then((project) => checkAlone(project, tarball)),
    checkExamples(tarball).then(() => checkSkill({ directory, tarball, uri: mongod.uri })),
    checkNpx({ directory, tarball, uri: mongod.uri }),
  ]);
  const failures: unknown[] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, "the first minutes fail");
} finally {
  await mongod.stop();
  await rm(directory, { recursive: true, force: true });
}

/** @returns the project */
async function checkQuickStart(tarball: string): Promise<string> {
  const project = join(directory, "quick-start");
  await mkdir(project);
  const standIn = await openAiStandIn({
    text: "Nice to meet you.",
    known: { shown: "User: I am vegetarian.", text: "Mushroom risotto." },
  });
  // What stands for the commands of the README that cannot be run here; until then there is neither a key nor a server.
  const standIns: [command: RegExp, env: Environment][] = [
    [/^docker run .*\bmongo\b/, { MONGODB_URI: mongod.uri }],
    [/^export OPENAI_API_KEY=/, standIn.env],
  ];
  const env: Environment = {};
  let output = "";
  try {
    await run(project, "npm init -y", env);
    const { blocks, programs } = await quickStart();
    for (const { file, code } of programs) await writeFile(join(project, file), code);
    for (const { kind, code } of blocks) {
      if (kind === "text") equal(output, code, "README.md: the quick start prints what it says");
      if (kind !== "sh") continue;
      for (const command of code
        .trimEnd()
        .replaceAll(/\\\n */g, "")
        .split("\n")) {
        const found = standIns.find(([pattern]) => pattern.test(command));
        if (found) Object.assign(env, found[1]);
        else
          output = await run(
            project,
            command.replace(/^(npm install .*)\blanggraph-mongo-memory\b/, `$1${tarball}`),
            env,
          );
      }
    }
    equal(output, "Mushroom risotto.\n", "README.md: the agent on MongoDB knows on Tuesday what it heard on Monday");
    console.log("ok: the README's quick start");
    return project;
  } finally {
    await standIn.close();
  }
}

async function checkExamples(tarball: string): Promise<void> {
  const names = (await readdir("examples", { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  // One installation above all copies, where Node and npm find it.
  const parent = join(directory, "examples");
  await mkdir(parent);
  const manifests = await Promise.all(names.map((name) => manifestOf(join("examples", name))));
  const dependencies = Object.assign(
    {},
    ...manifests.flatMap((each) => [each.dependencies, each.devDependencies]),
  ) as Record<string, string>;
  await writeFile(
    join(parent, "package.json"),
    JSON.stringify({ private: true, dependencies: { ...dependencies, [packageName]: `file:${tarball}` } }),
  );
  await run(parent, "npm install");
  for (const name of names) await run(parent, `node_modules/.bin/${packageName} init ${name}`);
  await checkTypes(parent);
  const server = "langgraph-server";
  await Promise.all([
    checkRuns(
      parent,
      names.filter((name) => name !== server),
    ),
    checkRuns(parent, [server]),
  ]);
}

/** Runs the copies one after the other in one process, because loading LangGraph takes longer than they do. */
async function checkRuns(parent: string, names: readonly string[]): Promise<void> {
  const end = "-- the end of an example --\n";
  const program = names.map(
    (name) =>
      `process.chdir("${name}");\nawait import("./${name}/main.ts");\nprocess.stdout.write("${end.trim()}\\n");\nprocess.chdir("..");\n`,
  );
  const file = `run-${names.length}.mts`;
  await writeFile(join(parent, file), program.join(""));
  const outputs = (await run(parent, `node_modules/.bin/tsx ${file}`)).split(end);
  for (const [index, name] of names.entries()) await checkOutput(join(parent, name), outputs[index] ?? "", name);
}

/** One example copied, installed and run with nothing above it. */
async function checkAlone(project: string, tarball: string): Promise<void> {
  const name = "state-graph";
  const copy = join(directory, "alone");
  await run(project, `npx ${packageName} init ${name} ${copy}`);
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  equal((await manifestOf(copy)).dependencies[packageName], version, `${name}: it asks for the version that copied it`);
  await run(copy, `npm pkg set dependencies.${packageName}=file:${tarball}`);
  await run(copy, "npm install");
  await checkOutput(copy, await run(copy, "npm start --silent"), `${name}, alone`);
}

async function checkOutput(copy: string, output: string, title: string): Promise<void> {
  const quoted = /```text\n([^]*?)```/.exec(await readFile(join(copy, "README.md"), "utf8"))?.[1];
  equal(fixLog(output), quoted, `${title}: it prints what its README says`);
  console.log(`ok: the example ${title}`);
}

/** All copies at once, under the settings that each of them has. */
async function checkTypes(parent: string): Promise<void> {
  await writeFile(
    join(parent, "tsconfig.json"),
    JSON.stringify({ extends: "./state-graph/tsconfig.json", include: ["*/*.ts"] }),
  );
  await run(parent, `node ${resolve("node_modules/typescript-7/bin/tsc")} -p .`);
  console.log("ok: the types of the examples");
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}
