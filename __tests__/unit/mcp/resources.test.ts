import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import fc from "fast-check";
import { type Memory, openMemory } from "../../../src/index.js";
import { createMcpServer } from "../../../src/mcp/index.js";
import { type ServerBounds, serverBounds } from "../../../src/mcp/bounds.js";
import { MemoryService } from "../../../src/mcp/memory-service.js";
import { parseMcpOptions } from "../../../src/mcp/options.js";
import { parseUri, toUri } from "../../../src/mcp/resources.js";
import { createServerFor } from "../../../src/mcp/server.js";
import { connectInMemory, HeardChanges } from "../../helpers/mcp-clients.js";
import type { Client } from "@modelcontextprotocol/client";

const freshMemory = (): Memory => openMemory(new InMemoryStore(), { nodeId: "assistant" });

async function connect(memory: Memory, bounds: Partial<ServerBounds> = {}): Promise<Client> {
  const settings = parseMcpOptions("McpServerOptions", { memory });
  const service = new MemoryService(settings, { ...serverBounds, ...bounds });
  return connectInMemory(createServerFor(service, "server"));
}

describe("the resources of an MCP server", () => {
  it("are the files of the memory, with their sizes and types", async () => {
    const memory = freshMemory();
    await memory.write("/notes/to do?.md", "grüße");
    await memory.write("/a", "x");
    const { resources } = await (await connect(memory)).listResources();
    expect(resources).toEqual([
      { uri: "memory:///a", name: "/a", mimeType: "text/plain", size: 1 },
      { uri: "memory:///notes/to%20do%3F.md", name: "/notes/to do?.md", mimeType: "text/markdown", size: 7 },
    ]);
  });

  it("can be read by their URIs", async () => {
    const memory = freshMemory();
    await memory.write("/日記/100% #1.md", "text");
    const client = await connect(memory);
    const [resource] = (await client.listResources()).resources;
    const uri = resource?.uri ?? "";
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: "text/markdown", text: "text" }]);
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

  it("of an empty memory are none", async () => {
    expect((await (await connect(freshMemory())).listResources()).resources).toEqual([]);
  });

  it("are told as a template too", async () => {
    const { resourceTemplates } = await (await connect(freshMemory())).listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["memory:///{+path}"]);
  });

  it.each([
    [
      "memory:///none",
      { code: -32_602, data: { uri: "memory:///none" }, message: "ENOENT: file not found: memory:///none" },
    ],
    ["memory:///dir", { code: -32_602, message: "EISDIR: path is a directory" }],
    ["memory:///", { code: -32_602, message: expect.stringContaining("path is") }],
    ["memory:///a/../b", { code: -32_602, message: expect.stringContaining("invalid uri: memory:///a/../b;") }],
    ["memory:///%2e%2e/b", { code: -32_602, message: expect.stringContaining("invalid uri") }],
    ["memory:///%E0%A4%A", { code: -32_602, message: expect.stringContaining("invalid uri") }],
    ["memory:///a%00", { code: -32_602, message: expect.stringContaining("invalid uri") }],
    ["memory://host/a", { code: -32_602, message: expect.stringContaining("invalid uri") }],
    ["file:///etc/passwd", { code: -32_602, message: expect.stringContaining("invalid uri") }],
  ])("refuse to read %s in one sentence", async (uri, error) => {
    const memory = freshMemory();
    await memory.write("/dir/a", "x");
    const client = await connect(memory);
    await expect(client.readResource({ uri })).rejects.toMatchObject(error);
  });

  it("refuse a URI that is longer than a path can be", async () => {
    const client = await connect(freshMemory());
    await expect(client.readResource({ uri: `memory:///${"/".repeat(10_000)}a` })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("invalid uri"),
    });
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
    await expect(client.listResources()).rejects.toMatchObject({
      code: -32_603,
      message: "the memory could not be opened",
    });
    await expect(client.readResource({ uri: "memory:///a" })).rejects.toMatchObject({
      message: "the memory could not be opened",
    });
    await expect(client.subscribeResource({ uri: "memory:///a" })).rejects.toMatchObject({
      message: "the memory could not be opened",
    });
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

describe("a client that subscribed", () => {
  it("is told at once of what is changed through the server, by whatever client", async () => {
    const memory = freshMemory();
    await memory.write("/a", "one");
    // Long enough for no look of its own to come first.
    const client = await connect(memory, { watchIntervalMs: 3_600_000 });
    const changes = new HeardChanges(client);
    await client.subscribeResource({ uri: "memory:///a" });
    // Of the same size: a count of bytes would not show it.
    await client.callTool({
      name: "memory",
      arguments: { command: "update", path: "/a", oldContent: "one", content: "two" },
    });
    expect(await changes.next(1)).toEqual(["memory:///a"]);
    await client.callTool({ name: "memory", arguments: { command: "delete", path: "/a" } });
    expect(await changes.next(2)).toEqual(["list", "memory:///a"]);
  });

  it("is told of what others change", async () => {
    const memory = freshMemory();
    const client = await connect(memory, { watchIntervalMs: 5 });
    const changes = new HeardChanges(client);
    await client.subscribeResource({ uri: "memory:///to%20come" });
    await memory.write("/to come", "one");
    expect(await changes.next(2)).toEqual(["list", "memory:///to%20come"]);
    await memory.write("/to come", "two");
    expect(await changes.next(1)).toEqual(["memory:///to%20come"]);
  });

  it("is not told of other files, nor any more once it unsubscribed", async () => {
    const memory = freshMemory();
    const client = await connect(memory, { watchIntervalMs: 5 });
    const changes = new HeardChanges(client);
    await client.subscribeResource({ uri: "memory:///a" });
    await client.subscribeResource({ uri: "memory:///b" });
    await client.unsubscribeResource({ uri: "memory:///a" });
    await memory.write("/a", "x");
    await memory.write("/c", "x");
    await memory.write("/b", "x");
    const heard: string[] = [];
    while (heard.at(-1) !== "memory:///b") heard.push(...(await changes.next(1)));
    expect(heard.filter((what) => what !== "list")).toEqual(["memory:///b"]);
  });

  it("is told by the URI of the list, however it has spelled that", async () => {
    const memory = freshMemory();
    const client = await connect(memory, { watchIntervalMs: 5 });
    const changes = new HeardChanges(client);
    await client.subscribeResource({ uri: "memory:////caf%c3%a9/" });
    await memory.write("/café", "x");
    expect(await changes.next(2)).toEqual(["list", "memory:///caf%C3%A9"]);
  });

  it("to as many files as it may cannot subscribe to another one, but to one of them again", async () => {
    const client = await connect(freshMemory(), { maxSubscriptions: 2 });
    for (const name of ["a", "b", "a"]) await client.subscribeResource({ uri: `memory:///${name}` });
    await expect(client.subscribeResource({ uri: "memory:///c" })).rejects.toMatchObject({
      code: -32_600,
      message: "at most 2 files can be subscribed to at once; unsubscribe from others first",
    });
    await client.unsubscribeResource({ uri: "memory:///a" });
    await client.subscribeResource({ uri: "memory:///c" });
  });
});

describe("a client that listed", () => {
  it("is told when the list changes, and of nothing else", async () => {
    const client = await connect(freshMemory());
    const changes = new HeardChanges(client);
    await client.listResources();
    const append = (path: string) =>
      client.callTool({ name: "memory", arguments: { command: "append", path, content: "x" } });
    await append("/a");
    expect(await changes.next(1)).toEqual(["list"]);
    await append("/a");
    await append("/b");
    expect(await changes.next(1)).toEqual(["list"]);
  });
});
