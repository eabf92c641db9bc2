import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { createMcpServer } from "../../../src/mcp/index.js";
import { HttpSessions } from "../../../src/mcp/http/sessions.js";
import { openMemory } from "../../../src/open-memory.js";
import { initialize } from "../../helpers/mcp-messages.js";

const idleMs = 1000;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ["queueMicrotask", "nextTick"] });
});

afterEach(() => {
  jest.useRealTimers();
});

const createServer = () => createMcpServer({ memory: openMemory(new InMemoryStore(), { nodeId: "n" }) });
const newResponse = () => new EventEmitter() as ServerResponse;

/** A session, its status, and the response whose end makes it idle. */
async function begin(sessions: HttpSessions, accept = "application/json, text/event-stream") {
  const response = newResponse();
  const transport = await sessions.getTransport(undefined, initialize, response);
  const headers = { "Content-Type": "application/json", Accept: accept };
  const request = new Request("http://localhost/mcp", { method: "POST", headers });
  const { status } = await transport.handleRequest(request, { parsedBody: initialize });
  return { transport, status, id: transport.sessionId ?? "", response };
}

describe("the sessions of an HTTP server", () => {
  it("end when nothing of them was open for a time, and not before", async () => {
    const sessions = new HttpSessions({ maxSessions: 5, maxStreams: 5, idleMs, createServer });
    const { id, response } = await begin(sessions);
    await jest.advanceTimersByTimeAsync(2 * idleMs);
    expect(sessions.size).toBe(1);
    response.emit("close");
    const stream = newResponse();
    await jest.advanceTimersByTimeAsync(idleMs - 1);
    await sessions.getTransport(id, undefined, stream);
    await jest.advanceTimersByTimeAsync(2 * idleMs);
    expect(sessions.size).toBe(1);
    stream.emit("close");
    await jest.advanceTimersByTimeAsync(idleMs);
    expect(sessions.size).toBe(0);
    await expect(sessions.getTransport(id, undefined, newResponse())).rejects.toMatchObject({ status: 404 });
  });

  it("end at once when their client says so", async () => {
    const sessions = new HttpSessions({ maxSessions: 5, maxStreams: 5, idleMs, createServer });
    const { transport, id } = await begin(sessions);
    const headers = { "Mcp-Session-Id": id };
    expect(
      (await transport.handleRequest(new Request("http://localhost/mcp", { method: "DELETE", headers }))).status,
    ).toBe(200);
    expect(sessions.size).toBe(0);
  });

  it("end at once where they never began", async () => {
    const sessions = new HttpSessions({ maxSessions: 5, maxStreams: 5, idleMs, createServer });
    const { status, response } = await begin(sessions, "text/html");
    expect(status).toBe(406);
    response.emit("close");
    expect(sessions.size).toBe(0);
  });

  it("leave no timer behind when they are closed", async () => {
    const sessions = new HttpSessions({ maxSessions: 5, maxStreams: 5, idleMs, createServer });
    const { response } = await begin(sessions);
    response.emit("close");
    await begin(sessions);
    await sessions.close();
    expect(sessions.size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});
