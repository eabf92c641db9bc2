import { Agent, type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc, { type Arbitrary } from "fast-check";
import { serveHttp } from "../../../src/mcp/index.js";
import type { McpHttpServer } from "../../../src/mcp/http/serve-http.js";
import { dialectNames } from "../../../src/dialects/registry.js";
import { openMemory } from "../../../src/open-memory.js";
import { fragment, path, text } from "../../../__tests__/helpers/inputs/texts.js";
import { json } from "../../../__tests__/helpers/inputs/values.js";
import { mutated } from "../../../__tests__/helpers/inputs/mutations.js";
import { assertClean } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";
import { plantNeighbours } from "./neighbours.js";

interface HttpCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** Bytes past every parser of a client. */
type Call = HttpCall | { raw: Uint8Array };

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const methods = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "logging/setLevel",
  "completion/complete",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "subscriptions/listen",
  "server/discover",
  "sampling/createMessage",
  "no/such",
  "__proto__",
  "constructor",
  "",
];
const toolNames = [
  "memory",
  "memory_write",
  "memory_update",
  "memory_read",
  "memory_search",
  "add_memory",
  "replace_memory",
  "drop_memory",
  "clear_memory",
];

const uri = fc.oneof(
  { weight: 3, arbitrary: path.map((each) => `memory://${each}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("memory:///", "memory://", "file:///", "http://127.0.0.1/", ""), text)
      .map(([scheme, rest]) => scheme + rest),
  },
);
const toolArguments = fc.dictionary(
  fc.oneof(fc.constantFrom("command", "path", "content", "oldContent", "key", "query", "target", "tags"), fragment),
  fc.oneof(fc.constantFrom("read", "list", "append", "update", "delete"), path, json),
  { maxKeys: 5 },
);
const metadata = {
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const params: Arbitrary<unknown> = fc.oneof(
  fc.record({
    name: fc.oneof(fc.constantFrom(...toolNames), fragment),
    arguments: fc.oneof({ weight: 5, arbitrary: toolArguments }, { weight: 1, arbitrary: json }),
  }),
  fc.record({ uri }),
  fc.record({
    cursor: fc.oneof(
      text,
      path.map((each) => Buffer.from(each).toString("base64url")),
    ),
  }),
  fc.record({
    notifications: fc.record(
      { resourceSubscriptions: fc.array(uri, { maxLength: 300 }), resourcesListChanged: fc.boolean() },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ protocolVersion: fc.oneof(fc.constantFrom(...revisions), text), capabilities: json, clientInfo: json }),
  fc.record({ requestId: json, progressToken: json, level: fc.constantFrom("debug", "no"), ref: json }),
  json,
);

const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 12, arbitrary: fc.constant("2.0") }, { weight: 1, arbitrary: json }),
    id: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 1000 }) }, { weight: 2, arbitrary: json }),
    method: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...methods) }, { weight: 1, arbitrary: json }),
    params,
  },
  { requiredKeys: ["jsonrpc", "method"] },
);

const deep = fc
  .tuple(fc.constantFrom("[", '{"a":', '[{"a":[', '{"params":'), fc.integer({ min: 1, max: 200_000 }))
  .map(([part, times]) => part.repeat(times));
const wide = fc
  .tuple(fc.constantFrom("1,", '"",', "{},", '"a":1,'), fc.integer({ min: 1, max: 50_000 }))
  .map(([part, times]) => `{"params":[${part.repeat(times)}1]}`);

const body: Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 30, arbitrary: message.map((each) => JSON.stringify(each)) },
  { weight: 10, arbitrary: mutated(message.map((each) => JSON.stringify(each))) },
  { weight: 3, arbitrary: fc.array(message, { maxLength: 5 }).map((each) => JSON.stringify(each)) },
  { weight: 2, arbitrary: json.map((each) => JSON.stringify(each)) },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.oneof(deep, wide) },
);

const headerText = fc.oneof(fragment, text).map((each) => each.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, "").slice(0, 4000));
const headerNames = [
  "Mcp-Method",
  "Mcp-Name",
  "MCP-Protocol-Version",
  "Mcp-Session-Id",
  "Content-Type",
  "Accept",
  "Origin",
  "Host",
  "Authorization",
  "Last-Event-Id",
  "Transfer-Encoding",
  "Expect",
  "X-Forwarded-Host",
  "Cookie",
];
const hosts = [
  "evil.example",
  "evil.com@127.0.0.1",
  "127.0.0.1@evil.com",
  "localhost:1/..",
  "[::1]",
  "127.0.0.1.nip.io",
  "LOCALHOST",
  "0",
  "2130706433",
  "[",
  "a b",
];
const hostileHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom(...headerNames.filter((name) => !/^(?:Transfer|Expect)/.test(name))),
      headerText,
      { maxKeys: 3 },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...hosts).map((host) => ({ Host: host })) },
  { weight: 1, arbitrary: fc.constantFrom(...hosts).map((host) => ({ Origin: `http://${host}` })) },
);

const httpCall = fc.record({
  method: fc.oneof(
    { weight: 12, arbitrary: fc.constant("POST") },
    { weight: 1, arbitrary: fc.constantFrom("GET", "DELETE", "PUT", "OPTIONS", "HEAD", "PATCH", "TRACE") },
  ),
  path: fc.oneof(
    { weight: 20, arbitrary: fc.constant("/mcp") },
    { weight: 1, arbitrary: text.map((each) => `/${encodeURI(each.toWellFormed()).slice(0, 4000)}`) },
  ),
  revision: fc.constantFrom(...revisions),
  body,
  headers: hostileHeaders,
});

/** As a client of a revision sends it. */
function asClient({
  revision,
  body: sent,
  headers,
  ...call
}: {
  method: string;
  path: string;
  revision: string;
  body: string | Uint8Array;
  headers: Record<string, string>;
}): HttpCall {
  const isModern = revision === "2026-07-28";
  const parsed = typeof sent === "string" ? parsedOrUndefined(sent) : undefined;
  const method = typeof parsed?.["method"] === "string" ? parsed["method"] : "tools/call";
  const name = (parsed?.["params"] as Record<string, unknown> | undefined | null)?.["name"];
  const protocol: Record<string, string> = isModern
    ? { "Mcp-Method": method, ...(typeof name === "string" && { "Mcp-Name": name }) }
    : {};
  const known = Object.entries({ ...protocol, "MCP-Protocol-Version": revision, ...headers }).filter(([, value]) =>
    /^[\t\x20-\x7e\xa0-\xff]*$/.test(value),
  );
  const meta =
    isModern && isRecord(parsed?.["params"])
      ? JSON.stringify({
          ...parsed,
          params: { ...parsed["params"], _meta: { ...metadata, "io.modelcontextprotocol/protocolVersion": revision } },
        })
      : sent;
  return {
    ...call,
    body: meta,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...Object.fromEntries(known),
    },
  };
}

function parsedOrUndefined(sent: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(sent);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const raw = mutated(
  message.map((each) => {
    const sent = JSON.stringify(each);
    const head = [
      "POST /mcp HTTP/1.1",
      "Host: 127.0.0.1",
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      `Content-Length: ${Buffer.byteLength(sent)}`,
      "Connection: close",
    ];
    return [...head, "", sent].join("\r\n");
  }),
).map((bytes) => ({ raw: bytes }));

export const mcp: Target = {
  name: "mcp",
  tries: "requests over stdio and HTTP, also what is no request",
  casesPerSandbox: 200,
  open: async (_environment, id) => {
    const store = new InMemoryStore();
    const open = (address: Parameters<typeof openMemory>[1]) => openMemory(store, address);
    const assertUnchanged = await plantNeighbours(open, { nodeId: id, threadId: "t" });
    const memory = open({ nodeId: id, scope: "perThread", threadId: "t" });
    const server = await serveHttp({ memory, port: 0, dialects: dialectNames.filter((name) => name !== "claude") });
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    await assertServing(server, agent);
    const address = new URL(server.url).host;
    return toSandbox<Call>({
      inputs: fc.oneof({ weight: 20, arbitrary: httpCall.map(asClient) }, { weight: 1, arbitrary: raw }),
      call: async (call, measure) => {
        if ("raw" in call) return `raw ${getStatus(await measure(() => sendBytes(server, call.raw)), address)}`;
        const answer = await measure(() => send(server, agent, call));
        return getStatus(`HTTP ${answer.status}\n${answer.text}`, address);
      },
      close: async () => {
        await assertServing(server, agent);
        agent.destroy();
        await server.close();
        await assertUnchanged();
      },
    });
  },
};

/** 503 and 501 are what is too much, or not there. @throws for a failure of the server */
function getStatus(answer: string, address: string): string {
  assertClean(answer, [address]);
  const status = /^HTTP\S* (\d{3})/.exec(answer)?.[1] ?? "closed";
  if (status.startsWith("5") && status !== "503" && status !== "501")
    throw new Error(`a failure of the server: ${answer.slice(0, 1000)}`);
  const code = /"error":\{"code":(-?\d+)/.exec(answer)?.[1];
  // The SDK says so of parameters that it refuses itself, with what its schema found.
  if (code === "-32603" && !answer.includes('"message":"['))
    throw new Error(`an internal error: ${answer.slice(0, 1000)}`);
  return code === undefined ? status : `${status} ${code}`;
}

/** @throws if the server refuses a new client */
async function assertServing(server: McpHttpServer, agent: Agent): Promise<void> {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } },
  };
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const { status, text: said } = await send(server, agent, {
    method: "POST",
    path: "/mcp",
    headers,
    body: JSON.stringify(initialize),
  });
  if (status !== 200) throw new Error(`a new client is refused: ${status} ${said}`);
}

function send(
  server: McpHttpServer,
  agent: Agent,
  { method, path: target, headers, body: sent }: HttpCall,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(server.url, { method, path: target, headers, agent }, (answer) => {
      let said = "";
      const finish = (): void => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: said });
      };
      answer.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
      answer.on("close", finish);
      answer.on("error", finish);
    });
    // The server may have closed a connection that was idle just as it was used again.
    request.on("error", (error) =>
      request.reusedSocket
        ? resolve(send(server, agent, { method, path: target, headers, body: sent }))
        : reject(error),
    );
    // Without a length, which Node leaves out there, the server takes the body for the next request.
    request.end(method.startsWith("P") ? sent : undefined);
  });
}

/** What is answered until the server closes, or is silent. */
function sendBytes(server: McpHttpServer, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    let said = "";
    const finish = (): void => {
      socket.destroy();
      resolve(said);
    };
    // A body that is cut short is waited for.
    socket.setTimeout(200, finish);
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    socket.on("close", finish);
    socket.on("error", finish);
    socket.end(bytes);
  });
}
