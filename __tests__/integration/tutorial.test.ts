import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../src/index.js";
import { freePort } from "../helpers/mongo-servers.js";
import { installLinked } from "../helpers/packed-package.js";
import { ended } from "../helpers/spawn-cli.js";
import { testDatabase } from "../helpers/test-database.js";
import { testFolder } from "../helpers/test-folder.js";
import { type TutorialStep, tutorialSteps } from "../helpers/tutorial.js";
import { until } from "../helpers/until-answers.js";
import { withDatabase } from "../helpers/with-database.js";

const steps = tutorialSteps();
const [page, ...others] = steps.toReversed();

/** Outside of the project, with the packed package and nothing else of it. */
const folder = testFolder();
const { uri, name: dbName, client } = testDatabase();
const documentedUri = "mongodb://localhost:27017/tutorial";
const documentedPort = "3000";

beforeAll(() => installLinked(folder));

it.each(others.toReversed())("the program after $title prints what the page says", async (step) => {
  const { code, stdout, stderr } = await ended(start(step));
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: step.output, stderr: "" });
});

it("the last program prints what its page says, serves the page, and leaves a proposal for its reader", async () => {
  const port = String(await freePort());
  const { program = "", output = "", title = "" } = page ?? {};
  const child = start({ title, program: program.replaceAll(documentedPort, port) });
  const end = ended(child);
  try {
    let printed = "";
    child.stdout.on("data", (text: string) => (printed += text));
    while (!printed.includes("Ctrl-C") && child.exitCode === null)
      await Promise.race([once(child.stdout, "data"), end]);
    expect(printed.replaceAll(port, documentedPort)).toBe(output);
    const address = `http://127.0.0.1:${port}/`;
    // The program prints before it listens.
    await until(() =>
      fetch(address).then(
        () => true,
        () => false,
      ),
    );
    const answer = await fetch(address);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("<!doctype html>")]);
    const waiting: string[] = [];
    for await (const { path } of new MongoMemoryStore({ client, dbName }).listProposals()) waiting.push(path);
    expect(waiting).toEqual(["/kitchen.md"]);
  } finally {
    child.kill();
    await end;
  }
});

function start({ title, program }: Pick<TutorialStep, "title" | "program">): ChildProcessWithoutNullStreams {
  const { OPENAI_API_KEY: _key, NODE_OPTIONS: _options, ...env } = process.env;
  const path = join(folder, `${title.replaceAll(/\W+/g, "-")}.mjs`);
  writeFileSync(path, program.replace(documentedUri, withDatabase(uri, dbName)));
  return spawn(process.execPath, [path], { cwd: folder, env });
}
