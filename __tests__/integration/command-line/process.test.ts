import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { MongoMemoryStore } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { answerOf, connectTo, type Revision } from "../../helpers/mcp-clients.js";
import { appendCall, initialize } from "../../helpers/mcp-messages.js";
import { send } from "../../helpers/raw-http.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";
import { withDatabase } from "../../helpers/with-database.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

describe("the program as a process", () => {
  it("prints the version of the package", async () => {
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(await ended(spawnCli(["--version"]))).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: "" });
  });

  it("takes MONGODB_URI from its environment and the text from its standard input", async () => {
    const child = spawnCli(["append", "/log", "--node", "piped"], { MONGODB_URI: withDatabase(uri, dbName) });
    child.stdin.end("from a pipe é🧠\n");
    const stderr = 'note: created the memory of node "piped", which did not exist\n';
    expect(await ended(child)).toEqual({ code: 0, signal: null, stdout: "", stderr });
    expect(await store.memory({ nodeId: "piped" }).read("/log")).toBe("from a pipe é🧠\n");
  });

  it.each([
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x0a]), "the input is not UTF-8"],
    ["a message that is too long", Buffer.alloc(16_000_001, "x"), "a message has over 16000000 bytes"],
  ])("exits with 1 and an error where an MCP client sends %s, after it has answered", async (_, bytes, fault) => {
    const child = spawnCli(["mcp", "--dir", newPath()]);
    child.stdin.on("error", () => {});
    child.stdin.write(Buffer.concat([Buffer.from(`${JSON.stringify(initialize)}\n`), bytes]));
    const { code, stdout, stderr } = await ended(child);
    expect([code, stderr]).toEqual([1, `error: mcp: ${fault}; the connection has ended\n`]);
    expect(JSON.parse(stdout)).toMatchObject({ id: initialize.id, result: { serverInfo: {} } });
  });

  it("ends with 0 where the reader of the pipe goes away", async () => {
    const memory = store.memory({ nodeId: "long" });
    for (let index = 0; index < 8; index += 1) await memory.write(`/file ${index}`, "a line\n".repeat(100_000));
    const child = spawnCli(["grep", "line", "--uri", uri, "--db", dbName, "--node", "long"]);
    const end = once(child, "close");
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    expect([await end, stderr]).toEqual([[0, null], ""]);
  });
});

describe("mcp", () => {
  it("serves a memory over standard input and output", async () => {
    const args = [compiled("src/cli/main.ts"), "mcp", "--node", "served", "--user", "ada", "--db", dbName, "--search"];
    args.push("--dialect", "unified", "records");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env: { PATH: process.env["PATH"] ?? "", MONGODB_URI: uri },
    });
    const mcp = await connectTo(transport);
    expect((await mcp.listTools()).tools.map((tool) => tool.name)).toContain("memory_search");
    await answerOf(mcp, { path: "/a", command: "append", content: "Anna buys bread." });
    expect(await answerOf(mcp, { command: "search", path: "/", query: "who bought bread?" })).toContain("Anna buys");
    // A client cannot choose another user.
    expect(await answerOf(mcp, { path: "/a", command: "read", userId: "bob" })).toContain("EINVAL");
    expect(await store.memory({ nodeId: "served", scope: "perUser", userId: "ada" }).read("/a")).toBe(
      "Anna buys bread.",
    );
    await mcp.close();
  });

  it("serves a memory over HTTP to those who have the token, until it is ended", async () => {
    const dir = newPath();
    const tokenFile = newPath();
    await writeFile(tokenFile, "secret-token\n");
    const argv = ["mcp", "--http", "--port", "0", "--token-file", tokenFile, "--dialect", "claude", "journal"];
    const child = spawnCli([...argv, "--allow-host", "memory.example", "--dir", dir, "--json"]);
    const end = ended(child);
    const [line] = (await once(child.stdout, "data")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
    const statusFor = async (Host: string) => (await send(url, { headers: { Host }, body: "{}" })).status;
    expect([await statusFor("memory.example"), await statusFor("other.example")]).toEqual([401, 403]);
    const headers = { Authorization: "Bearer secret-token" };
    const mcp = await connectTo(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    expect((await mcp.listTools()).tools.map((tool) => tool.name)).toContain("memory_write");
    await answerOf(mcp, { command: "create", path: "/memories/a.txt", file_text: "over HTTP" });
    expect(await openDirectoryMemory({ dir }).read("/a.txt")).toBe("over HTTP");
    await mcp.close();
    child.kill("SIGTERM");
    expect(await end).toEqual({ code: 0, signal: null, stdout: line, stderr: "" });
  });

  it("ends at a signal with calls open of a server that is frozen", async () => {
    const server = await privateMongod("standalone");
    const env = { MONGODB_URI: server.uri };
    const overHttp = spawnCli(["mcp", "--http", "--port", "0", "--node", "n", "--json"], env);
    const [line] = (await once(overHttp.stdout, "data")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const connect = (revision: Revision): Promise<Client> =>
      connectTo(new StreamableHTTPClientTransport(new URL(url)), revision);
    const clients = await Promise.all([connect("legacy"), connect("modern")]);
    const overStdio = spawnCli(["mcp", "--node", "n"], env);
    overStdio.stdin.write(`${JSON.stringify(initialize)}\n${JSON.stringify(appendCall)}\n`);
    await once(overStdio.stdout, "data");
    await server.pause();
    for (const mcp of clients) answerOf(mcp, { command: "append", path: "/a", content: "x" }).catch(() => {});
    overStdio.stdin.write(`${JSON.stringify(appendCall)}\n`);
    const ends = [overHttp, overStdio].map(ended);
    overHttp.kill("SIGTERM");
    overStdio.kill("SIGINT");
    for (const { signal } of await Promise.all(ends)) expect(signal).toBeNull();
  });
});
