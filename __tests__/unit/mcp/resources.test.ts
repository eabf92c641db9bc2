import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { type Memory, openMemory } from "../../../src/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import { type ServerBounds, serverBounds } from "../../../src/mcp/bounds.js";
import { MemoryService } from "../../../src/mcp/memory-service.js";
import { parseMcpOptions } from "../../../src/mcp/options.js";
import { parseUri, toUri } from "../../../src/mcp/resources.js";
import { createServerFor } from "../../../src/mcp/server.js";
import fc from "../../helpers/fast-check.js";
import { connectInMemory } from "../../helpers/mcp-clients.js";
import type { Client } from "@modelcontextprotocol/client";

const freshMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "assistant" });

async function connect(memory: Memory, bounds: Partial<ServerBounds> = {}): Promise<Client> {
  const settings = parseMcpOptions("McpServerOptions", { memory });
  const service = new MemoryService(settings, { ...serverBounds, ...bounds });
  return connectInMemory(createServerFor(service));
}

describe("the resources of an MCP server", () => {
  it("are the files of the memory, with their sizes and types, and are read by their URIs", async () => {
    const memory = freshMemory();
    await memory.write("/notes/to do?.md", "grüße");
    await memory.write("/a", "x");
    const client = await connect(memory);
    const uri = "memory:///notes/to%20do%3F.md";
    const mimeType = "text/markdown";
    expect((await client.listResources()).resources).toEqual([
      { uri: "memory:///a", name: "/a", mimeType: "text/plain", size: 1 },
      { uri, name: "/notes/to do?.md", mimeType, size: 7 },
    ]);
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType, text: "grüße" }]);
  });

  it("are told in pages, which neither repeat nor skip what stays while others come and go", async () => {
    const memory = freshMemory();
    for (const name of ["b", "d", "f", "h", "j"]) await memory.write(`/${name}`, name);
    const client = await connect(memory, { pageSize: 2 });
    const page = async (cursor?: string) => {
      const { resources, nextCursor } = await client.request({
        method: "resources/list",
        params: cursor === undefined ? {} : { cursor },
      });
      return { names: resources.map(({ name }) => name), nextCursor };
    };
    const first = await page();
    expect(first.names).toEqual(["/b", "/d"]);
    // The file that the cursor names goes; one comes before it, and one after.
    await memory.delete("/d");
    await memory.write("/a", "a");
    await memory.write("/e", "e");
    const second = await page(first.nextCursor);
    expect(second.names).toEqual(["/e", "/f"]);
    const third = await page(second.nextCursor);
    expect(third).toEqual({ names: ["/h", "/j"], nextCursor: undefined });
  });

  it("of an empty memory are none but a template", async () => {
    const client = await connect(freshMemory());
    expect((await client.listResources()).resources).toEqual([]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["memory:///{+path}"]);
  });

  it.each([
    ["memory:///none", "ENOENT: file not found: memory:///none"],
    ["memory:///dir", "EISDIR: path is a directory"],
    ["memory:///", "path is"],
    ["memory:///a/../b", "invalid uri: memory:///a/../b;"],
    ["memory:///%2e%2e/b", "invalid uri"],
    ["memory:///%E0%A4%A", "invalid uri"],
    ["memory:///a%00", "invalid uri"],
    ["memory://host/a", "invalid uri"],
    ["file:///etc/passwd", "invalid uri"],
    [`memory:///${"/".repeat(10_000)}a`, "invalid uri"],
  ])("refuse to read %s in one sentence", async (uri, message) => {
    const memory = freshMemory();
    await memory.write("/dir/a", "x");
    const refusal = { code: -32_602, message: expect.stringContaining(message) };
    await expect((await connect(memory)).readResource({ uri })).rejects.toMatchObject(refusal);
  });

  it.each(["nonsense!", "", Buffer.from("a").toString("base64url")])("refuse the cursor %j", async (cursor) => {
    const client = await connect(freshMemory());
    await expect(client.request({ method: "resources/list", params: { cursor } })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("invalid cursor"),
    });
  });

  it("tell failures of the storage without its words", async () => {
    const memory = () => {
      throw new Error("mongodb://user:secret@host");
    };
    const client = await connectInMemory(createMcpServer({ memory }));
    const failure = { code: -32_603, message: "the memory could not be opened" };
    await expect(client.listResources()).rejects.toMatchObject(failure);
    await expect(client.readResource({ uri: "memory:///a" })).rejects.toMatchObject(failure);
  });
});

describe("URIs of files", () => {
  const segment = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .map((text) => text.normalize("NFC").replaceAll(/[/\\\p{Cc}]/gu, "_"))
    .filter((text) => !/[.%]|\.\./u.test(text.normalize("NFKC")) && text !== "");

  it("name each path, and no other", () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        const path = `/${segments.join("/")}`;
        const uri = toUri(path);
        expect(parseUri(uri)).toBe(path);
        expect(new URL(uri).href).toBe(uri);
      }),
    );
  });
});
