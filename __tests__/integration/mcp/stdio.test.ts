import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "@jest/globals";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { answerOf, connectTo, revisions } from "../../helpers/mcp-clients.js";
import { testDatabase } from "../../helpers/test-database.js";
import { initialize } from "../../helpers/mcp-messages.js";

const children: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface TestServer {
  memory: Memory;
  /** Of the program that serves the memory. */
  args: string[];
}

function testServer(options: object = {}): TestServer {
  const { uri, name, client } = testDatabase();
  const memory = new MongoMemoryStore({ client, dbName: name }).memory({ nodeId: "n" });
  return { memory, args: [compiled("__tests__/helpers/mcp-stdio-server.ts"), uri, name, JSON.stringify(options)] };
}

const transportTo = ({ args }: TestServer) =>
  new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });

/** The server without a client, for what no client would send. */
function spawnServer({ args }: TestServer) {
  const child = spawn(process.execPath, args);
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return {
    child,
    send: (line: string | object) => child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`),
    next: async (): Promise<unknown> => JSON.parse(((await lines.next()) as { value: string }).value),
    exit: async () => ({ exit: await exited, stderr }),
  };
}

const call = (id: number, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "memory", arguments: { path: "/a", ...args } },
});
const append = (id: number, content: string) => call(id, { command: "append", content });

it.each(revisions)("the memory over stdio has its tools and resources for a %s client", async (revision) => {
  const server = testServer({ dialects: ["claude"] });
  const client = await connectTo(transportTo(server), revision);
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.destructiveHint])).toEqual([["memory", true]]);
  expect(await answerOf(client, { command: "create", path: "/memories/a", file_text: "one" })).toContain("created");
  expect(await server.memory.read("/a")).toBe("one");
  const refused = await client.callTool({ name: "memory", arguments: { command: "view", path: "/memories/b" } });
  expect(refused).toMatchObject({ isError: true });
  const uri = "memory:///a";
  expect((await client.listResources()).resources).toMatchObject([{ uri, mimeType: "text/plain", size: 3 }]);
  expect((await client.readResource({ uri })).contents).toMatchObject([{ text: "one" }]);
  await expect(client.readResource({ uri: "memory:///none" })).rejects.toThrow("ENOENT: file not found");
});

describe("the memory over stdio", () => {
  it("keeps every append of two clients at once", async () => {
    const server = testServer();
    const clients = await Promise.all([connectTo(transportTo(server)), connectTo(transportTo(server), "modern")]);
    const appends = clients.flatMap((client, number) =>
      Array.from({ length: 50 }, (_, index) =>
        answerOf(client, { command: "append", path: "/log", content: `${number}:${index}` }),
      ),
    );
    const answers = await Promise.all(appends);
    expect(answers.every((answer) => answer.includes('"ok":true'))).toBe(true);
    const lines = (await server.memory.read("/log")).split("\n");
    expect(lines).toHaveLength(100);
    expect(new Set(lines).size).toBe(100);
  });

  it("skips what is no message, and answers the next one", async () => {
    const server = spawnServer(testServer());
    for (const line of ["{ not json", "[]", "7", '{"jsonrpc":"2.0","method":7,"id":"a"}', ""]) server.send(line);
    server.send(initialize);
    expect(await server.next()).toMatchObject({ id: 1, result: { serverInfo: { name: "langgraph-mongo-memory" } } });
  });

  const tooLong = Buffer.from(`${JSON.stringify(append(3, "x".repeat(100_000)))}\n`);
  const notUtf8 = Buffer.from(`${JSON.stringify(append(3, "grüße"))}\n`, "latin1");

  it.each([
    ["that is too long", tooLong, "a message has over 10000 bytes"],
    ["that is not UTF-8", notUtf8, "the input is not UTF-8"],
    [
      "whose last character is cut",
      Buffer.from(`${JSON.stringify(append(3, "x"))}ü`).subarray(0, -1),
      "the input is not UTF-8",
    ],
  ])("answers what came before a message %s, and then ends with an error", async (_name, message, fault) => {
    const test = testServer({ maxMessageBytes: 10_000 });
    const server = spawnServer(test);
    const before = [initialize, append(2, "good")].map((each) => `${JSON.stringify(each)}\n`).join("");
    const after = `${JSON.stringify(append(4, "late"))}\n`;
    server.child.stdin.on("error", () => undefined);
    server.child.stdin.end(
      Buffer.concat([Buffer.from(before), message, Buffer.from(message.at(-1) === 10 ? after : "")]),
    );
    expect([await server.next(), await server.next()]).toMatchObject([{ id: 1 }, { id: 2 }]);
    const { exit, stderr } = await server.exit();
    expect(exit).toEqual([1, null]);
    expect(stderr).toBe(`closed: ${fault}\n`);
    expect(await test.memory.read("/a")).toBe("good");
  });

  it("answers what it has read before the end of the input", async () => {
    const test = testServer();
    await test.memory.write("/a", "x".repeat(30_000));
    const server = spawnServer(test);
    server.send(initialize);
    for (let id = 2; id <= 21; id += 1) server.send(call(id, { command: "read" }));
    server.child.stdin.end();
    const ids = new Set<unknown>();
    while (ids.size < 21) ids.add(((await server.next()) as { id: number }).id);
    expect(await server.exit()).toEqual({ exit: [0, null], stderr: "closed\n" });
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends with its store closed at %s", async (signal) => {
    const server = spawnServer(testServer());
    server.send(initialize);
    await server.next();
    server.child.kill(signal);
    expect(await server.exit()).toEqual({ exit: [0, null], stderr: "closed\n" });
  });

  it("ends when its client is killed", async () => {
    const test = testServer();
    // The client prints the server's process id, then waits for ever.
    const program = `
      import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
      import { Client } from "@modelcontextprotocol/client";
      const transport = new StdioClientTransport({ command: process.execPath, args: ${JSON.stringify(test.args)} });
      await new Client({ name: "doomed", version: "1" }).connect(transport);
      console.log(transport.pid);
      setInterval(() => {}, 1000);`;
    const client = spawn(process.execPath, ["--input-type=module", "--eval", program]);
    children.push(client);
    const [chunk] = (await once(client.stdout, "data")) as [Buffer];
    const pid = Number(chunk.toString());
    expect(isAlive(pid)).toBe(true);
    client.kill("SIGKILL");
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
