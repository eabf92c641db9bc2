import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { readAll } from "../../helpers/read-all.js";
import { cli, type CliRun, type CliSurroundings } from "../../helpers/run-cli.js";
import { change, learnWith } from "../../helpers/scripted-learning.js";
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
  await memory.with({ actor: { ...by, client: "form" } }).write("/inbox/a.md", "Ada moved to Oslo.\u001b[2J");
  const { runId } = await learnWith(memory, operations);
  await memory.write("/inbox/a.md", "another note");
  const target = ["--uri", uri, "--db", dbName, "--node", memory.address.nodeId];
  const run: Place["run"] = ([command = "", ...argv], surroundings) => cli([command, ...target, ...argv], surroundings);
  return { memory, runId: runId ?? "", run };
}

const write = (name: string): object => change("write", `/profile/${name}.md`, { text: `${name} lives in Norway.` });

async function approveAll(memory: Memory): Promise<void> {
  for (const { id } of await readAll(getProposals(memory).list())) await getProposals(memory).approve(id, { by });
}

describe("redact", () => {
  it.each([["/inbox/a.md"], ["--text", "Oslo"]])(
    "prints the approved texts that rest on what went: %j",
    async (...what) => {
      const { memory, run } = await openLearnt(write("ada"));
      await approveAll(memory);
      const { stdout } = await run(["redact", ...what, "--yes"]);
      expect(stdout).toMatch(
        /^redacted 1 version\nlook at these versions, which rest on the redacted text:\n3 .* \/profile\/ada\.md .*\n$/,
      );
    },
  );

  it("names them in JSON", async () => {
    const { memory, run } = await openLearnt(write("ada"));
    await approveAll(memory);
    const { stdout } = await run(["redact", "/inbox/a.md", "--yes", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ redacted: 1, dependents: [{ id: "3", sources: ["version:1"] }] });
  });
});

describe("log and blame", () => {
  it("say what a version rests on, and how far it can be trusted", async () => {
    const { memory, run } = await openLearnt(write("ada"));
    await approveAll(memory);
    const origin = String.raw`rests on version:1 \(trust: person\)`;
    expect((await run(["log"])).stdout).toMatch(new RegExp(`^3 .* client learn, run .*; ${origin}\\n2 .*\\n1 .*\\n$`));
    expect((await run(["blame", "/profile/ada.md"])).stdout).toMatch(
      new RegExp(`^3  \\S+  client learn; ${origin}  1`),
    );
  });
});

describe("proposals", () => {
  it("shows one with reason, sources, trust and model", async () => {
    const { memory, run } = await openLearnt(change("write", "/profile/a.md", { text: "x", reason: "said\nso" }));
    const [proposal] = await readAll(getProposals(memory).list());
    const { stdout } = await run(["proposals", proposal?.id ?? ""], { terminal: true });
    expect(stdout).toContain("  rests on version:1 (trust: person), by scripted-1: said; so");
  });
});

describe("approve and reject", () => {
  const listPaths = async (memory: Memory): Promise<string[]> =>
    (await readAll(getProposals(memory).list())).map(({ path }) => path);

  it("approve the others where one has moved on, show what it would do now, and exit with 1", async () => {
    const { memory, run } = await openLearnt(write("ada"), write("bob"));
    const ids = (await readAll(getProposals(memory).list())).map(({ id }) => id);
    await memory.write("/profile/ada.md", "Somebody else was here.");
    const { stdout, stderr, exitCode } = await run(["approve", ...ids, "--by", "ada"]);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^\w+ .*\/profile\/bob\.md.*approved.*\n.*\n$/)]);
    expect(stderr).toMatch(/EEXIST[^]*what it changes has changed since it was made/);
    expect(await listPaths(memory)).toEqual(["/profile/ada.md"]);
  });

  it("approve some by their ids", async () => {
    const { memory, run } = await openLearnt(write("ada"), write("bob"), write("carol"));
    const [first, , third] = await readAll(getProposals(memory).list());
    const ids = [first?.id ?? "", third?.id ?? ""];
    const { stdout } = await run(["approve", ...ids, "--by", "ada", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, proposals: ids.map((id) => ({ id, status: "approved" })) });
    expect(await listPaths(memory)).toEqual(["/profile/bob.md"]);
  });

  it("approve one with other words", async () => {
    const { memory, run } = await openLearnt(write("ada"));
    const [proposal] = await readAll(getProposals(memory).list());
    const argv = ["approve", proposal?.id ?? "", "--by", "ada", "--content", "-"];
    expect((await run(argv, { stdin: "Lives in Bergen.\n" })).exitCode).toBe(0);
    expect(await memory.read("/profile/ada.md")).toBe("Lives in Bergen.\n");
  });

  it("reject some with a reason", async () => {
    const { memory, run } = await openLearnt(write("ada"), write("bob"));
    const ids = (await readAll(getProposals(memory).list())).map(({ id }) => id);
    await run(["reject", ...ids, "--by", "ada", "--reason", "private"]);
    const rejected = await readAll(getProposals(memory).list({ status: "rejected" }));
    expect(rejected.map(({ reason, decidedBy }) => [reason, decidedBy?.userId])).toEqual([
      ["private", "ada"],
      ["private", "ada"],
    ]);
  });

  it.each([[["approve"]], [["reject"]], [["approve", "x", "y", "--content", "z"]]])("refuse %j", async (argv) => {
    const { run } = await openLearnt(write("ada"));
    expect((await run([...argv, "--by", "ada"])).exitCode).toBe(2);
  });
});
