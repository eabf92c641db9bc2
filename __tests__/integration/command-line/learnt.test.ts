import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { readAll } from "../../helpers/read-all.js";
import { cli, type CliRun, type CliSurroundings } from "../../helpers/run-cli.js";
import { learnWith, operation } from "../../helpers/scripted-learning.js";
import { getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const by = { userId: "ada" };

interface Place {
  memory: Memory;
  runId: string;
  run: (argv: string[], surroundings?: CliSurroundings) => Promise<CliRun>;
}

/** A memory in which a run of `learn` has proposed these changes, from a note that is gone by now. */
async function openLearnt(...operations: object[]): Promise<Place> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory.with({ actor: by }).write("/inbox/a.md", "Ada moved to Oslo.\u001b[2J");
  const { runId } = await learnWith(memory, operations);
  await memory.write("/inbox/a.md", "another note");
  const target = ["--uri", uri, "--db", dbName, "--node", memory.address.nodeId];
  const run: Place["run"] = ([command = "", ...argv], surroundings) => cli([command, ...target, ...argv], surroundings);
  return { memory, runId: runId ?? "", run };
}

const write = (name: string): object => operation("write", `/profile/${name}.md`, { text: `${name} lives in Norway.` });

async function approveAll(memory: Memory): Promise<void> {
  for (const { id } of await readAll(getProposals(memory).list())) await getProposals(memory).approve(id, { by });
}

describe("redact", () => {
  it.each([["1"], ["--text", "Oslo"]])("prints the approved texts that rest on what went: %j", async (...what) => {
    const { memory, run } = await openLearnt(write("ada"));
    await approveAll(memory);
    const { stdout } = await run(["redact", ...what, "--yes"]);
    expect(stdout).toMatch(
      /^redacted 1 version\nlook at these versions, which rest on what was redacted:\n3 .* \/profile\/ada\.md .*\n$/,
    );
  });

  it("names them in JSON", async () => {
    const { memory, run } = await openLearnt(write("ada"));
    await approveAll(memory);
    const { stdout } = await run(["redact", "1", "--yes", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ redacted: 1, dependents: [{ id: "3", sources: ["version:1"] }] });
  });
});
