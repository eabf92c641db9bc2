import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { serverUri, startSharedServers } from "../../__tests__/helpers/mongo-servers.js";
import { pack } from "../../__tests__/helpers/packed-package.js";
import { runCommand } from "../run-command.js";
import { type Combination, combinations } from "./combinations.js";
import { checkYarn } from "./yarn.js";

/*
 * Installs the packed package into a fresh project for each combination of peers, type-checks a program against it with
 * `skipLibCheck: false` as an ES module and as CommonJS, and runs both. Then does so with Yarn Plug'n'Play, without types.
 * `--lowest` tries the lowest versions only: the tests run with the newest.
 */

const sources = ["main-job", "entries", "optional-entries", "optional-ai-sdk"];
const moduleKinds = ["mts", "cts"];
const { values: options } = parseArgs({ options: { lowest: { type: "boolean", default: false } } });

const directory = await mkdtemp(join(tmpdir(), "compatibility-"));
const stopServers = await startSharedServers();
try {
  const tarball = await pack(directory);
  const [lowest, ...others] = await combinations();
  // One after the other: several installs at once are no faster on two cores.
  for (const [index, combination] of [lowest, ...(options.lowest ? [] : others)].entries())
    await check(combination, tarball, index);
  if (!options.lowest) await checkYarn(await mkdtemp(join(directory, "yarn-")), tarball);
} finally {
  await stopServers();
  await rm(directory, { recursive: true, force: true });
}

async function check(combination: Combination, tarball: string, index: number): Promise<void> {
  const project = await mkdtemp(join(directory, "project-"));
  const inProject = (command: string, ...args: string[]) => runCommand(command, args, { cwd: project });
  await writeProject(combination, project, tarball);
  await inProject("npm", "install", "--no-audit", "--no-fund", "--prefer-offline");
  await inProject("node_modules/.bin/tsc", "-p", ".");
  for (const kind of moduleKinds) {
    const databaseName = `compatibility_${index}_${kind}`;
    const uri = serverUri("standalone").replace(/\/(?:\?|$)/, (end) => `/${databaseName}${end.slice(1)}`);
    await inProject("node", `out/run.${kind.replace("ts", "js")}`, uri);
  }
  await inProject("npx", "--no-install", "langgraph-mongo-memory", "import", "--dir", "out", "--to-dir", "notes");
  console.log(
    `ok: ${combination.title} (${Object.entries(combination.peers)
      .map((peer) => peer.join(" "))
      .join(", ")})`,
  );
}

async function writeProject(
  { peers, typescript, isMinimal = false }: Combination,
  project: string,
  tarball: string,
): Promise<void> {
  const dependencies = { "langgraph-mongo-memory": `file:${tarball}`, ...peers };
  const tools = JSON.parse(await readFile("package.json", "utf8")) as { devDependencies: Record<string, string> };
  const { "@types/node": nodeTypes = "" } = tools.devDependencies;
  const manifest = { private: true, dependencies, devDependencies: { typescript, "@types/node": nodeTypes } };
  await writeFile(join(project, "package.json"), JSON.stringify(manifest));
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    skipLibCheck: false,
    types: ["node"],
    outDir: "out",
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts", "*.cts"] }));
  const names = sources.filter((name) => !(isMinimal && name.startsWith("optional")));
  for (const kind of moduleKinds) {
    for (const name of names)
      await copyFile(resolve("tools/compatibility", `${name}.ts`), join(project, `${name}.${kind}`));
    const imports = names.map(
      (name, index) => `import * as part${index} from "./${name}.${kind.replace("ts", "js")}";`,
    );
    const isComplete = names.map((_, index) => `Object.values(part${index})`).join(", ");
    const program = [
      ...imports,
      `if ([${isComplete}].flat().includes(undefined as never)) throw new Error("an entry lacks a name");`,
      `const jobs = [part0.mainJob(process.argv[2] ?? "")${isMinimal ? "" : ", part3.aiSdkJob()"}];`,
      "Promise.all(jobs).catch((error: unknown) => { console.error(error); process.exitCode = 1; });",
    ];
    await writeFile(join(project, `run.${kind}`), program.join("\n"));
  }
}
