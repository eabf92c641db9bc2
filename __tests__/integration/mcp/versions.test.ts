import { describe, expect, it } from "@jest/globals";
import { McpServer } from "@modelcontextprotocol/server";
import { addMemoryTo, createMcpServer } from "../../../src/mcp/index.js";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { change, learnWith } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const without = new MongoMemoryStore({ client, dbName: testDatabase().name });

const templates = ["memory:///{+path}", "memory-versions:///{+path}", "memory-version:///{id}"];

const servers: [string, (memory: Memory) => McpServer][] = [
  ["createMcpServer", (memory) => createMcpServer({ memory })],
  [
    "addMemoryTo",
    (memory) => {
      const server = new McpServer({ name: "own", version: "1.0.0" });
      addMemoryTo(server, { memory });
      return server;
    },
  ],
];

describe.each(servers)("the versions of a memory, served by %s,", (_, serve) => {
  it("say what learnt text rests on", async () => {
    const memory = store.memory(freshAddress());
    const mcp = await connectInMemory(serve(memory));
    await memory.with({ actor: { userId: "ada", client: "our app" } }).write("/inbox/a.md", "moved");
    await learnWith(memory, [change("write", "/profile/ada.md", { text: "Lives in Oslo." })], {
      apply: "append-only",
    });
    const { contents } = await mcp.readResource({ uri: "memory-versions:///profile/ada.md" });
    const { versions } = JSON.parse((contents[0] as { text: string }).text);
    expect(versions).toMatchObject([{ sources: ["version:1"], trust: "person", actor: { client: "learn" } }]);
  });

  it("are resources: the list of a file, and the text of each", async () => {
    const memory = store.memory(freshAddress());
    const mcp = await connectInMemory(serve(memory));
    await memory
      .with({ actor: { userId: "ada", threadId: "t", runId: "r", agent: "cook" } })
      .write("/to do.md", "milk");
    expect(await answerOf(mcp, { command: "append", path: "/to do.md", content: "eggs" })).toContain('"ok":true');
    await memory.rename("/to do.md", "/done.md");
    const { contents } = await mcp.readResource({ uri: "memory-versions:///done.md" });
    const { path, versions } = JSON.parse((contents[0] as { text: string }).text);
    expect([path, contents[0]?.mimeType]).toEqual(["/done.md", "application/json"]);
    expect(versions).toEqual([
      {
        id: "3",
        uri: "memory-version:///3",
        path: "/done.md",
        from: "/to do.md",
        operation: "renamed",
        at: expect.any(String),
        actor: {},
        sizeBytes: 9,
      },
      {
        id: "2",
        uri: "memory-version:///2",
        path: "/to do.md",
        operation: "modified",
        at: expect.any(String),
        actor: { client: "mcp test 1.0.0" },
        sizeBytes: 9,
      },
      {
        id: "1",
        uri: "memory-version:///1",
        path: "/to do.md",
        operation: "created",
        at: expect.any(String),
        actor: { agent: "cook" },
        sizeBytes: 4,
      },
    ]);
    expect((await mcp.readResource({ uri: versions[2].uri })).contents).toEqual([
      { uri: "memory-version:///1", mimeType: "text/markdown", text: "milk" },
    ]);
    expect((await mcp.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      templates,
    );
  });

  it("say why a version has no text, and name no other memory", async () => {
    const memory = store.memory(freshAddress());
    const mcp = await connectInMemory(serve(memory));
    await memory.write("/a", "secret");
    await memory.delete("/a");
    await memory.history?.redact({ path: "/a" });
    const failure = (uri: string): Promise<string> =>
      mcp.readResource({ uri }).then(
        () => "none",
        (error: Error) => error.message,
      );
    expect(await failure("memory-version:///1")).toContain("version 1 is redacted");
    expect(await failure("memory-version:///2")).toContain("version 2 deleted the file");
    expect(await failure("memory-version:///9")).toContain("ENOENT");
    for (const uri of ["memory-version:///%7B%7D", "memory-version:///%E0%A4%A", "memory-versions:///..%2Fb"])
      expect(await failure(uri)).not.toBe("none");
    expect(JSON.stringify(await mcp.readResource({ uri: "memory-versions:///a" }))).not.toContain("secret");
  });

  it("are listed for a directory, the newest 200", async () => {
    const memory = store.memory(freshAddress());
    const mcp = await connectInMemory(serve(memory));
    await memory.write("/other", "x");
    for (let index = 0; index < 201; index += 1) await memory.append("/notes/log", "x");
    const idsOf = async (uri: string): Promise<string[]> =>
      JSON.parse(((await mcp.readResource({ uri })).contents[0] as { text: string }).text).versions.map(
        ({ id }: { id: string }) => id,
      );
    const ids = await idsOf("memory-versions:///notes");
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([200, "202", "3"]);
    expect(await idsOf("memory-versions:///other")).toEqual(["1"]);
  });

  it("are none of a memory without a history", async () => {
    const mcp = await connectInMemory(serve(without.memory(freshAddress())));
    expect((await mcp.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      templates.slice(0, 1),
    );
    await expect(mcp.readResource({ uri: "memory-version:///1" })).rejects.toMatchObject({ code: -32_602 });
  });
});
