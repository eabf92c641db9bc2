import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { change } from "../../helpers/scripted-learning.js";
import { type OpenAiStandIn, openAiStandIn } from "../../helpers/openai-stand-in.js";
import { readAll } from "../../helpers/read-all.js";
import { cli, cliJson, type CliRun } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const folder = testFolder();
const dayAgo = Date.now() - 2 * 86_400_000;
// Memories of two days ago, so that they are due.
const store = new MongoMemoryStore({ client, dbName, history: true, clock: () => new Date(dayAgo) });
const database = ["--uri", uri, "--db", dbName];
const model = ["--model", "openai:gpt-5-mini"];
const before = { ...process.env };
let server: OpenAiStandIn;

beforeAll(async () => {
  const operations = [
    change("write", "/profile/ada.md", { text: "Likes tea." }),
    change("append", "/notes.md", { text: "outside" }),
  ];
  server = await openAiStandIn({ text: "", operations });
  Object.assign(process.env, server.env);
});

afterAll(async () => {
  for (const name of Object.keys(server.env)) delete process.env[name];
  Object.assign(process.env, before);
  await server.close();
});

async function newMemory(userId?: string): Promise<{ memory: Memory; target: string[] }> {
  const nodeId = randomUUID();
  const memory = store.memory(userId === undefined ? { nodeId } : { nodeId, scope: "perUser", userId });
  for (const number of [1, 2, 3, 4, 5]) await memory.append("/inbox.md", `note ${number}`);
  return { memory, target: [...database, "--node", nodeId, ...(userId === undefined ? [] : ["--user", userId])] };
}

async function waiting(memory: Memory): Promise<string[]> {
  return (await readAll(memory.proposals?.list() ?? [])).map(({ path }) => path);
}

const learn = (...argv: string[]): Promise<CliRun> => cli(["learn", ...model, ...argv]);

describe("learn", () => {
  it("proposes what a model answers to the changes of a memory, once", async () => {
    const { memory, target } = await newMemory("ada");
    expect(await learn(...target)).toEqual({ exitCode: 0, stdout: "1 proposal, 2 refused\n", stderr: "" });
    expect(await waiting(memory)).toEqual(["/profile/ada.md"]);
    const [proposal] = await readAll(memory.proposals?.list() ?? []);
    expect([proposal?.actor?.client, proposal?.origin?.model]).toEqual(["learn", "gpt-5-mini"]);
    expect((await learn(...target)).stdout).toBe("nothing is new\n");
  });

  it("shows with --dry-run what it would propose, and lets the next run read the same", async () => {
    const { memory, target } = await newMemory();
    const { stdout } = await learn(...target, "--dry-run");
    expect(stdout).toContain("write /profile/ada.md: the user said so\n");
    expect(stdout).toContain("+Likes tea.");
    expect(stdout).toMatch(/1 change, 2 refused\n$/);
    expect(await waiting(memory)).toEqual([]);
    const json = await cliJson(["learn", ...model, ...target, "--dry-run"]);
    expect(json).toMatchObject({ ok: true, proposals: [], changes: [{ kind: "write", path: "/profile/ada.md" }] });
    expect((await learn(...target)).stdout).toBe("1 proposal, 2 refused\n");
  });

  it("follows --read, --write, --apply and --instructions", async () => {
    const { memory, target } = await newMemory();
    const file = join(folder, "instructions.txt");
    await writeFile(file, "Keep everything.");
    expect((await learn(...target, "--read", "/other/**")).stdout).toBe("nothing is new\n");
    await memory.append("/inbox.md", "note 6");
    const more = ["--write", "/**", "--apply", "append-only", "--instructions", file];
    expect((await learn(...target, ...more)).stdout).toBe("0 proposals, 2 additions\n");
    expect(await memory.read("/notes.md")).toBe("outside");
    const wrong = await learn(...target, "--instructions", join(folder, "none.txt"));
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("there is no such file")]);
  });

  it("learns with --due from the memories of a node that are due", async () => {
    const { memory, target } = await newMemory("ada");
    const node = target.slice(0, 6);
    const { stdout } = await learn(...node, "--due", "--limit", "5");
    expect(stdout).toMatch(/ada.*: 1 proposal, 2 refused\n1 memory\n$/);
    expect(await waiting(memory)).toEqual(["/profile/ada.md"]);
    expect(await cliJson(["learn", ...model, ...node, "--due"])).toEqual({ ok: true, reports: [] });
  });

  it.each([
    ["a provider that nobody knows", ["--model", "nobody:x", "--node", "a"], "--model nobody:x: "],
    ["--user with --due", ["--due", "--user", "ada"], "--user does not go with --due"],
    ["--limit without --due", ["--limit", "3", "--node", "a"], "--limit goes with --due"],
    ["a bad pattern", ["--read", "profile", "--node", "a"], "--read"],
  ])("refuses %s", async (_name, argv, message) => {
    const { exitCode, stderr } = await cli(["learn", ...database, ...model, ...argv]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("says that the model failed, and that a memory has no history", async () => {
    const { target } = await newMemory();
    const refusing = createServer((_request, response) => response.writeHead(400).end("{}")).listen(0, "127.0.0.1");
    await once(refusing, "listening");
    process.env["OPENAI_BASE_URL"] = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/v1`;
    const failed = await learn(...target);
    Object.assign(process.env, server.env);
    refusing.close();
    expect([failed.exitCode, failed.stderr]).toEqual([3, expect.stringContaining("the model failed: 400")]);
    const nodeId = randomUUID();
    await new MongoMemoryStore({ client, dbName }).memory({ nodeId }).write("/a", "x");
    const silent = await learn(...database, "--node", nodeId);
    expect([silent.exitCode, silent.stderr]).toEqual([1, expect.stringContaining("has no history")]);
  });
});
