import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { type Memory } from "../../../src/index.js";
import { serverBounds } from "../../../src/mcp/bounds.js";
import { parseMcpOptions } from "../../../src/mcp/options.js";
import { StdioConnection } from "../../../src/mcp/serve-stdio.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import { appendCall, initialize } from "../../helpers/mcp-messages.js";

/** A memory whose appends begin, and go on when they are let. */
function gatedMemory() {
  const memory = freshMemory();
  let letGo = () => {};
  let tellBegun = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    tellBegun = resolve;
  });
  const gated: Memory = new Proxy(memory, {
    get: (target, name) => {
      if (name === "with") return () => gated;
      if (name !== "append") return Reflect.get(target, name) as unknown;
      return async (...args: Parameters<Memory["append"]>) => {
        tellBegun();
        await gate;
        return target.append(...args);
      };
    },
  });
  return { memory, gated, begun, letGo: () => letGo() };
}

const lines = (messages: object[]): string => messages.map((message) => JSON.stringify(message)).join("\n");

/** Serves a memory over streams. */
function serve(memory: Memory, input: PassThrough, output: Writable = new PassThrough(), bounds = serverBounds) {
  const connection = new StdioConnection(parseMcpOptions("McpServerOptions", { memory }), bounds);
  return { connection, served: connection.serve(input, output) };
}

describe("a connection over stdio", () => {
  it.each(["stop", "end of input", "output that fails"])("ends at %s, after the call under way", async (reason) => {
    const { memory, gated, begun, letGo } = gatedMemory();
    const input = new PassThrough();
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(reason === "output that fails" ? new Error("EPIPE") : null),
    });
    const { connection, served } = serve(gated, input, output);
    let isEnded = false;
    void served.then(() => (isEnded = true));
    // Where the output fails, it does so at the answer to the second message, which is a ping.
    input.write(`${lines([...(reason === "output that fails" ? [] : [initialize]), appendCall])}\n`);
    await begun;
    if (reason === "stop") connection.stop();
    else if (reason === "end of input") input.end();
    else input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 3, method: "ping" })}\n`);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isEnded).toBe(false);
    letGo();
    await served;
    expect(await memory.read("/a")).toBe("x");
    expect(input.destroyed).toBe(true);
  });

  it("reads text whose characters are cut into pieces", async () => {
    const { memory, gated, letGo } = gatedMemory();
    letGo();
    const input = new PassThrough();
    const { served } = serve(gated, input);
    const { params } = appendCall;
    const call = { ...appendCall, params: { ...params, arguments: { ...params.arguments, content: "grüße 🌍" } } };
    const bytes = Buffer.from([initialize, call].map((message) => `${JSON.stringify(message)}\r\n`).join(""));
    for (const byte of bytes) input.write(Buffer.from([byte]));
    input.end();
    await served;
    expect(await memory.read("/a")).toBe("grüße 🌍");
  });

  it("answers what it has read before the end of its input", async () => {
    const { gated, begun, letGo } = gatedMemory();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { served } = serve(gated, input, output);
    const cancelled = { ...appendCall, id: 3 };
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } };
    const last = { jsonrpc: "2.0", id: 4, method: "resources/list" };
    input.end(lines([initialize, appendCall, cancelled, cancel, last]));
    await begun;
    letGo();
    await served;
    const answers = (await output.end().toArray())
      .join("")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(answers.toSorted((one, other) => one - other)).toEqual([1, 2, 4]);
  });

  it("does not wait for a request to listen for changes, of which the server reports none", async () => {
    const { gated } = gatedMemory();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { served } = serve(gated, input, output);
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const notifications = { resourcesListChanged: true, resourceSubscriptions: ["memory:///a"] };
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications, _meta } };
    input.end(JSON.stringify(listen));
    await served;
    expect(String(output.read())).toContain('"notifications":{}');
  });

  it("leaves no timer behind, if it is stopped while it answers what it has read", async () => {
    const { gated, begun } = gatedMemory();
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = countTimers();
    const input = new PassThrough();
    const { connection, served } = serve(gated, input, new PassThrough(), { ...serverBounds, closeTimeoutMs: 1 });
    input.end(lines([initialize, appendCall]));
    await begun;
    connection.stop();
    await served;
    while (countTimers() > before) await new Promise((resolve) => setImmediate(resolve));
  });

  it("answers 1,000 requests at once over an output that takes one at a time, and Node warns of no leak", async () => {
    let answers = 0;
    let isWarning = false;
    const output: Writable = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer, _encoding, done) => {
        answers += String(chunk).split("\n").length - 1;
        const maxListeners = output.getMaxListeners();
        isWarning ||= maxListeners > 0 && output.listenerCount("drain") > maxListeners;
        setImmediate(done);
      },
    });
    const input = new PassThrough();
    const { served } = serve(freshMemory(), input, output);
    const requests = Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: "2.0", id: id + 2, method: "ping" }));
    input.end(lines([initialize, ...requests]));
    await served;
    expect(answers).toBe(1001);
    expect(isWarning).toBe(false);
  });
});
