import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MemoryNode, type Memory, MongoMemoryStore } from "../../../src/index.js";
import { cli, cliJson, type CliRun, type CliSurroundings } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();

interface Place {
  memory: Memory;
  id: string;
  target: string[];
  run: (argv: string[], surroundings?: CliSurroundings) => Promise<CliRun>;
}

const store = new MongoMemoryStore({ client, dbName, history: true });

/** A memory without a file, in which an agent has proposed one. */
async function proposed(): Promise<Place> {
  const nodeId = randomUUID();
  const node = new MemoryNode({ store, nodeId, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
  const [tool] = node.memoryTools;
  const answer = (await tool?.invoke({
    command: "append",
    path: "/policy",
    content: "Pay at once.\u001b[2J",
  })) as string;
  const { proposal: id } = (JSON.parse(answer) as { result: { proposal: string } }).result;
  const target = ["--uri", uri, "--db", dbName, "--node", nodeId];
  return {
    memory: store.memory({ nodeId }),
    id,
    target,
    run: ([command = "", ...argv], surroundings) => cli([command, ...target, ...argv], surroundings),
  };
}

describe("proposals", () => {
  it("lists what waits, and shows one with its diff", async () => {
    const { id, run } = await proposed();
    const { stdout } = await run(["proposals"]);
    expect(stdout).toMatch(new RegExp(`^${id}  \\S+Z  append  /policy  .*pending  node .*\\n$`));
    expect((await run(["proposals", id])).stdout).toMatch(/\+Pay at once\./);
    const shown = await run(["proposals", id], { terminal: true });
    expect(shown.stdout).toContain("\u001b[32m+Pay at once.");
    expect(shown.stdout).not.toContain("\u001b[2J");
    expect(JSON.parse((await run(["proposals", "--json"])).stdout)).toMatchObject({
      id,
      status: "pending",
      path: "/policy",
    });
    expect(await run(["proposals", "--status", "rejected"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "no proposal was found\n",
    });
  });

  it("says of one that it is redacted", async () => {
    const { id, memory, run } = await proposed();
    for (const text of ["Pay at once.", "policy"]) await memory.history?.redact({ text });
    const { stdout } = await run(["proposals", id]);
    expect(stdout).toMatch(
      /append {2}\(redacted\) .*rejected: redacted\n\nThe text of this proposal was redacted\.\n$/,
    );
  });

  it("lists what waits in all memories, or in those that the options name", async () => {
    const collection = `memories ${randomUUID()}`;
    const other = new MongoMemoryStore({ client, dbName, memoriesCollection: collection });
    const propose = async (nodeId: string, userId: string): Promise<void> => {
      const node = new MemoryNode({
        store: other,
        nodeId,
        scope: "perUser",
        rules: [{ path: "/**", access: "ask" }],
        onAsk: "propose",
      });
      const call = { command: "append", path: `/of-${userId}`, content: "text\n" } as const;
      await node.memoryTools[0]?.invoke(call, { configurable: { user_id: userId } });
    };
    await propose("support", "ada");
    await propose("support", "eve");
    await propose("writer", "ada");
    const run = (...argv: string[]): Promise<CliRun> =>
      cli(["proposals", "--uri", uri, "--db", dbName, "--memories-collection", collection, ...argv]);
    const lines = (stdout: string): string[] =>
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/^.*pending {2}/, ""));
    const all = await run();
    expect(all).toMatchObject({ exitCode: 0, stderr: "" });
    expect(lines(all.stdout)).toEqual([
      'node "support", user "ada"',
      'node "support", user "eve"',
      'node "writer", user "ada"',
    ]);
    expect(lines((await run("--node", "support")).stdout)).toHaveLength(2);
    expect(lines((await run("--user", "ada")).stdout)).toHaveLength(2);
    expect(await run("--status", "approved")).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "no proposal was found\n",
    });
    const [first = ""] = (await run("--json")).stdout.split("\n");
    expect(JSON.parse(first)).toMatchObject({
      status: "pending",
      path: "/of-ada",
      address: { nodeId: "support", scope: "perUser", userId: "ada" },
    });
  });

  it("say that there is no such proposal, and make nothing in a database of a mistyped name", async () => {
    const { run } = await proposed();
    const missing = `missing_${randomUUID()}`;
    for (const argv of [
      ["proposals", "none"],
      ["approve", "none", "--by", "ada"],
      ["reject", "none", "--by", "ada"],
    ]) {
      const refused = { exitCode: 1, stderr: "error: there is no proposal none; `proposals` lists those that wait\n" };
      expect(await run(argv)).toMatchObject(refused);
      expect(await cli([...argv, "--uri", uri, "--db", missing])).toMatchObject(refused);
    }
    expect(await client.db(missing).listCollections().toArray()).toEqual([]);
  });
});

describe("approve", () => {
  it("makes the change once, by a person who is named", async () => {
    const { memory, id, run, target } = await proposed();
    expect(await run(["approve", id])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--by") });
    expect((await run(["approve", id, "--by", ""])).exitCode).toBe(2);
    expect(await cliJson(["approve", id, "--by", "ada", ...target])).toMatchObject({
      ok: true,
      proposal: { id, status: "approved", decidedBy: { userId: "ada", client: "langgraph-mongo-memory" } },
    });
    expect(await memory.read("/policy")).toBe("Pay at once.\u001b[2J");
    expect(await run(["reject", id, "--by", "bob"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: proposal .*approved by ada already/),
    });
  });

  it("is refused where the file has changed, and shows what it would be now", async () => {
    const { memory, id, run } = await proposed();
    await memory.write("/policy", "Never pay.\n");
    const { exitCode, stdout, stderr } = await run(["approve", id, "--by", "ada"]);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /\n Never pay\.\n\+Pay at once\.[^]*\nerror: proposal .* has changed since [^\n]*let it be proposed again\n$/,
    );
    expect(await memory.read("/policy")).toBe("Never pay.\n");
  });
});

it("approve decides about proposals of several memories at once, and about none if one is missing", async () => {
  const [one, other] = [await proposed(), await proposed()];
  const anywhere = ["--uri", uri, "--db", dbName];
  expect((await cli(["approve", one.id, "none", "--by", "ada", ...anywhere])).exitCode).toBe(1);
  expect((await cli(["proposals", ...anywhere])).stdout).toContain(one.id);
  const { stdout, exitCode } = await cli(["approve", one.id, other.id, "--by", "ada", ...anywhere]);
  expect([exitCode, stdout.match(/approved by user ada/g)]).toEqual([0, Array(2).fill("approved by user ada")]);
  for (const { memory } of [one, other]) expect(await memory.read("/policy")).toContain("Pay at once.");
  expect(await cli(["reject", one.id, "--by", "bob", ...anywhere])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("approved by ada already"),
  });
});

it("forget says how many proposals go, also of a memory without a file", async () => {
  const { target, run } = await proposed();
  expect((await cli(["forget", ...target, "--yes"])).stdout).toBe("erased 0 memories with 0 files and 1 proposal\n");
  expect((await run(["proposals"])).exitCode).toBe(1);
});

describe("reject", () => {
  it("refuses it for a reason, which stays", async () => {
    const { memory, id, run } = await proposed();
    const { exitCode, stdout } = await run(["reject", id, "--by", "ada", "--reason", "not from a customer"]);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining("rejected by user ada, client langgraph-mongo-memory: not from a customer\n"),
    ]);
    expect((await run(["proposals", "--status", "rejected"])).stdout).toContain(id);
    expect((await memory.snapshot()).files).toEqual([]);
  });
});
