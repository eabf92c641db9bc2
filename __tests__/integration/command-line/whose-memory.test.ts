import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type MemoryAddress, MongoMemoryStore } from "../../../src/index.js";
import { answerOf, connectTo } from "../../helpers/mcp-clients.js";
import { cli, cliJson, type CliRun } from "../../helpers/run-cli.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const folder = testFolder();
const database = ["--uri", uri, "--db", dbName];
const ada = "ada@example.com";
let nodeId = "";

beforeEach(() => {
  nodeId = randomUUID();
});

const run = (...argv: string[]): Promise<CliRun> => cli([...argv, ...database]);
/** The three memories of a node that one id could be confused to mean. */
const ofAll = (): MemoryAddress => ({ nodeId });
const ofThread = (threadId = ada): MemoryAddress => ({ nodeId, scope: "perThread", threadId });
const ofUser = (userId = ada): MemoryAddress => ({ nodeId, scope: "perUser", userId });

async function writeEach(path = "/a"): Promise<void> {
  await store.memory(ofAll()).write(path, "of all");
  await store.memory(ofThread()).write(path, "of the thread");
  await store.memory(ofUser()).write(path, "of the user");
}

const textsAt = (path: string): Promise<string[]> =>
  Promise.all([ofAll(), ofThread(), ofUser()].map((address) => store.memory(address).read(path)));

describe("the commands with --user", () => {
  it("look into and change the memory of that user, and no other of the node", async () => {
    await writeEach();
    const target = ["--node", nodeId, "--user", ada];
    expect((await run("cat", "/a", ...target)).stdout).toBe("of the user");
    expect((await run("grep", "of", ...target)).stdout).toBe("/a:1:of the user\n");
    await run("append", "/a", "more", ...target);
    await run("write", "/b", "x", ...target);
    await run("mv", "/b", "/c", ...target);
    expect((await run("ls", ...target)).stdout).toBe("a\nc\n");
    expect((await run("tree", ...target)).stdout).toContain("0 directories, 2 files");
    expect(await textsAt("/a")).toEqual(["of all", "of the thread", "of the user\nmore"]);
    expect((await run("rm", "/", "--all", ...target)).exitCode).toBe(0);
    expect((await run("ls", "--node", nodeId)).stdout).toBe("a\n");
  });

  it("refuse a thread and a user at once, and a user without a node", async () => {
    const exclude = { exitCode: 2, stderr: expect.stringContaining("exclude each other") };
    expect(await run("ls", "--node", nodeId, "--thread", ada, "--user", ada)).toMatchObject(exclude);
    for (const argv of [["doctor"], ["migrate", "earlier-format"]]) {
      expect(await run(...argv, "--user", ada)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("--user needs --node"),
      });
    }
    expect(await run("export", join(folder, "x"), "--all", "--user", ada)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--user does not go with --all"),
    });
    expect(await run("ls", "--node", nodeId, "--user", "")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--user: id must be a non-empty string"),
    });
  });

  it("serve it to MCP clients, which cannot choose another", async () => {
    await writeEach();
    const child = spawnCli(["mcp", "--http", "--port", "0", "--node", nodeId, "--user", ada, ...database, "--json"]);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { url } = JSON.parse(String(line)) as { url: string };
    const mcp = await connectTo(new StreamableHTTPClientTransport(new URL(url)));
    const _meta = { user_id: "bob", thread_id: ada };
    const read = await mcp.callTool({ name: "memory", arguments: { path: "/a", command: "read" }, _meta });
    expect(JSON.stringify(read)).toContain("of the user");
    expect(await answerOf(mcp, { path: "/a", command: "read", userId: "bob" })).toContain("EINVAL");
    const end = ended(child);
    child.kill("SIGTERM");
    await end;
  });
});

describe("export and import", () => {
  it("of memories of all three scopes keep each apart", async () => {
    const from = testDatabase();
    const source = new MongoMemoryStore({ client, dbName: from.name });
    const ids = [ada, "global", "users", "threads", "a/b", "a%2Fb"];
    const addresses = [ofAll(), ...ids.map((id) => ofThread(id)), ...ids.map((id) => ofUser(id))];
    for (const address of addresses) await source.memory(address).write("/same", JSON.stringify(address));
    const archive = join(folder, `${randomUUID()}.jsonl`);
    await cliJson(["export", archive, "--all", "--uri", uri, "--db", from.name]);
    const to = testDatabase();
    expect(await cliJson(["import", archive, "--uri", uri, "--db", to.name])).toMatchObject({
      memories: addresses.length,
    });
    const restored = new MongoMemoryStore({ client, dbName: to.name });
    for (const address of addresses) expect(await restored.memory(address).read("/same")).toBe(JSON.stringify(address));
    expect(await cliJson(["import", archive, "--uri", uri, "--db", to.name])).toMatchObject({
      written: 0,
      unchanged: addresses.length,
    });
  });
});

describe("a memory that was never written", () => {
  it("is refused by every command that needs one, and an empty one is not", async () => {
    await store.memory(ofAll()).write("/a", "x");
    await store.memory(ofAll()).delete("/a");
    const looks = [
      ["ls"],
      ["tree"],
      ["cat", "/a"],
      ["grep", "x"],
      ["rm", "/a"],
      ["rm", "/", "--all"],
      ["mv", "/a", "/b"],
      ["export", "-"],
      ["export", "--to-dir", join(folder, "never")],
    ];
    for (const argv of looks) {
      const { exitCode, stdout, stderr } = await run(...argv, "--node", `${nodeId}-typo`);
      expect([argv, exitCode, stdout]).toEqual([argv, 1, ""]);
      expect(stderr).toMatch(
        new RegExp(String.raw`^error: there is no memory of node "${nodeId}-typo" yet; known nodes: ".+\n$`),
      );
    }
    for (const argv of [["ls"], ["tree"], ["export", "-"], ["rm", "/", "--all"]])
      expect(await run(...argv, "--node", nodeId)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("is refused with the nodes that have memories, or with what to check where there are none", async () => {
    const { name } = testDatabase();
    const message = async (): Promise<unknown> => {
      const { stderr } = await cli(["ls", "--node", "quite another", "--uri", uri, "--db", name, "--json"]);
      return JSON.parse(stderr);
    };
    const refusal = (advice: string): object => ({
      ok: false,
      error: { code: "ENOENT", message: `there is no memory of node "quite another" yet; ${advice}` },
    });
    expect(await message()).toEqual(refusal("check --node, --db and --memories-collection"));
    const own = new MongoMemoryStore({ client, dbName: name });
    for (const node of ["b", "a"]) await own.memory({ nodeId: node }).write("/a", "x");
    await own.memory({ nodeId: "a", scope: "perUser", userId: ada }).write("/a", "x");
    expect(await message()).toEqual(refusal('known nodes: "a", "b"'));
    for (let index = 0; index < 10; index += 1) await own.memory({ nodeId: `c${index}` }).write("/a", "x");
    expect(await message()).toEqual(
      refusal('known nodes: "a", "b", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7" and 2 more'),
    );
  });

  it("is told from another one of the same node", async () => {
    await store.memory(ofUser()).write("/a", "x");
    const advice = async (...argv: string[]): Promise<string> =>
      (await run("ls", "--node", nodeId, ...argv)).stderr.split("; ")[1] ?? "";
    expect(await advice()).toBe("pass --user for the memory of a user\n");
    expect(await advice("--user", "bob")).toBe("check --user, as the node has others\n");
    await store.memory(ofAll()).write("/a", "x");
    expect(await advice("--thread", ada)).toBe(
      "pass --node alone for the memory that all share, or pass --user for the memory of a user\n",
    );
  });

  it("comes into being by the commands that write", async () => {
    expect(await run("append", "/a", "text", "--node", nodeId, "--user", ada)).toMatchObject({
      exitCode: 0,
      stdout: "",
    });
    expect(await store.memory(ofUser()).read("/a")).toBe("text");
  });
});

describe("a memory that did not exist", () => {
  it.each([
    ["write", "/a", "x"],
    ["append", "/a", "x"],
  ])("is told of on the standard error by %s", async (...argv) => {
    await store.memory({ nodeId }).write("/a", "x");
    const typo = `${nodeId}s`;
    const note = `created the memory of node "${typo}", which did not exist`;
    expect(await run(...argv, "--node", typo)).toEqual({ exitCode: 0, stdout: "", stderr: `note: ${note}\n` });
    expect((await run(...argv, "--node", typo)).stderr).toBe("");
    const other = {
      exitCode: 0,
      stderr: `note: created the memory of node "${nodeId}", user "eve", which did not exist\n`,
    };
    expect(await run(...argv, "--node", nodeId, "--user", "eve")).toMatchObject(other);
    expect((await run(...argv, "--node", nodeId, "--user", "bob", "--json")).stderr).toBe(
      `{"note":"created the memory of node \\"${nodeId}\\", user \\"bob\\", which did not exist"}\n`,
    );
  });

  it("is not told of where nothing was made", async () => {
    await store.memory({ nodeId }).write("/a", "x");
    expect((await run("write", "/bad\u0001name", "x", "--node", `${nodeId}s`)).stderr).not.toContain("created");
  });

  it("is told of by mcp when it starts", async () => {
    await store.memory({ nodeId }).write("/a", "x");
    const { stderr } = await cli(["mcp", "--http", "--port", "0", "--node", `${nodeId}s`, ...database], {
      untilStopped: async () => undefined,
    });
    expect(stderr).toMatch(
      new RegExp(
        String.raw`^note: there is no memory of node "${nodeId}s" yet, and the first change makes it; known nodes: ".+\n$`,
      ),
    );
  });
});
