import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { createMcpServer } from "../../../src/mcp/index.js";
import { SessionTransport } from "../../../src/mcp/http/session-transport.js";
import { openMemory } from "../../../src/open-memory.js";
import { initialize } from "../../helpers/mcp-messages.js";

const url = "http://localhost/mcp";

async function begin() {
  const transport = new SessionTransport({ sessionIdGenerator: () => "id" });
  const mcp = createMcpServer({ memory: openMemory(new InMemoryStore(), { nodeId: "n" }) });
  await mcp.connect(transport);
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  await transport.handleRequest(new Request(url, { method: "POST", headers }), { parsedBody: initialize });
  const open = (response = new EventEmitter()) =>
    transport.openStream(
      new Request(url, { headers: { Accept: "text/event-stream", "Mcp-Session-Id": "id" } }),
      response as ServerResponse,
    );
  const tell = (name: string) => mcp.server.sendResourceUpdated({ uri: `memory:///${name}` });
  return { transport, open, tell };
}

/** All that the stream has told, once it is over. */
async function toldBy(answer: Response): Promise<string[]> {
  return Array.from((await answer.text()).matchAll(/"uri":"memory:\/{3}(\w+)"/g), ([, name = ""]) => name);
}

describe("the stream of a session", () => {
  // Requirement: mcp.http-streams
  it("can be opened again as soon as it is broken", async () => {
    const { open } = await begin();
    const broken = new EventEmitter();
    expect((await open(broken)).status).toBe(200);
    expect((await open()).status).toBe(409);
    broken.emit("close");
    expect((await open()).status).toBe(200);
  });

  // Requirement: mcp.http-streams
  it("begins with what there was to tell while there was none, each thing once", async () => {
    const { transport, open, tell } = await begin();
    await tell("before");
    const broken = new EventEmitter();
    const first = await open(broken);
    await tell("first");
    broken.emit("close");
    for (const name of ["missed", "other", "missed"]) await tell(name);
    const second = await open();
    await tell("second");
    await transport.close();
    expect(await toldBy(first)).toEqual(["before", "first"]);
    expect(await toldBy(second)).toEqual(["missed", "other", "second"]);
  });

  it("is not taken away by another one that is refused", async () => {
    const { transport, open, tell } = await begin();
    const stream = await open();
    const refused = new EventEmitter();
    await open(refused);
    refused.emit("close");
    await tell("a");
    await transport.close();
    expect(await toldBy(stream)).toEqual(["a"]);
  });
});
