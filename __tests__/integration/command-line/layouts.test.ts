import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const document = new MongoMemoryStore({ client, dbName });
const files = new MongoMemoryStore({ client, dbName, layout: "files" });
const database = ["--uri", uri, "--db", dbName];

describe("the command line on layouts", () => {
  // Requirement: files.copy
  it("copies a memory, with empty directories and times, to the other layout and back", async () => {
    const address = freshAddress();
    const memory = document.memory(address, { paths: "posix" });
    await memory.write("/notes/today.md", "milk");
    await memory.write("/empty/gone", "x");
    await memory.delete("/empty/gone");
    const before = await memory.snapshot();
    const one = [...database, "--node", address.nodeId];
    expect(await cli(["copy", ...one, "--to-layout", "files"])).toMatchObject({ exitCode: 0 });
    expect({ ...(await files.memory(address).snapshot()), revision: null }).toEqual({ ...before, revision: null });
    await memory.delete("/");
    expect(await cli(["copy", ...one, "--layout", "files", "--to-layout", "document"])).toMatchObject({ exitCode: 0 });
    expect({ ...(await memory.snapshot()), revision: null }).toEqual({ ...before, revision: null });
  });

  // Requirement: files.copy
  it("copies all memories, and reads and changes those of either layout", async () => {
    const [one, two] = [freshAddress(), { nodeId: freshAddress().nodeId, scope: "perUser" as const, userId: "ada" }];
    for (const address of [one, two]) await document.memory(address).write("/a/b", "text");
    expect(await cli(["copy", "--all", ...database, "--to-layout", "files"])).toMatchObject({ exitCode: 0 });
    expect(await files.memory(two).read("/a/b")).toBe("text");
    const target = [...database, "--layout", "files", "--node", one.nodeId];
    expect((await cli(["cat", ...target, "/a/b"])).stdout).toBe("text");
    expect(await cli(["append", ...target, "/a/b", "more"])).toMatchObject({ exitCode: 0 });
    expect(await files.memory(one).read("/a/b")).toBe("text\nmore");
    expect((await cli(["copy", "--all", ...database, "--layout", "files", "--to-layout", "files"])).stderr).toContain(
      "source and destination are the same",
    );
  });

  // Requirement: files.moved
  it("moves a memory, and all memories, to the other layout and back", async () => {
    const memoriesCollection = "moving";
    const own = [...database, "--collection", memoriesCollection];
    const [here, there] = (["document", "files"] as const).map(
      (layout) => new MongoMemoryStore({ client, dbName, memoriesCollection, layout }),
    );
    const addresses = [freshAddress(), { nodeId: "assistant", scope: "perUser" as const, userId: "ada" }];
    for (const address of addresses) await here?.memory(address).write("/a/b", "text");
    const one = ["--node", "assistant", "--user", "ada"];
    expect((await cli(["copy", ...own, ...one, "--to-layout", "files", "--move"])).stdout).toBe("moved 1 memory\n");
    expect(await cliJson(["copy", ...own, "--all", "--to-layout", "files", "--move"])).toMatchObject({
      ok: true,
      memories: 1,
    });
    for (const address of addresses)
      expect([await here?.memory(address).read("/a/b"), await there?.memory(address).read("/a/b")]).toEqual([
        "text",
        "text",
      ]);
    for (const layout of ["document", "files"])
      expect((await cli(["memories", ...own, "--layout", layout])).stdout.match(/assistant/g)).toHaveLength(1);
    expect((await cli(["copy", ...own, "--all", "--to-layout", "document", "--move"])).stdout).toBe(
      "moved 2 memories\n",
    );
    expect((await cli(["copy", ...own, "--all", "--to-layout", "document", "--move"])).stdout).toBe(
      "moved 0 memories\n",
    );
    expect((await cli(["doctor", ...own])).exitCode).toBe(0);
  });

  it("refuses to move what is no move", async () => {
    const refused = async (...flags: string[]): Promise<string> =>
      (await cli(["copy", ...database, ...flags, "--move"])).stderr;
    expect(await refused("--all")).toContain("--move needs --to-layout");
    expect(await refused("--to-layout", "files")).toContain("no memory was named");
    expect(await refused("--all", "--to-layout", "files", "--to-db", "x")).toContain("--to-db does not go with --move");
    expect(await refused("--all", "--to-layout", "files", "--overwrite")).toContain(
      "--overwrite does not go with --move",
    );
    expect(await refused("--node", "nobody", "--to-layout", "files")).toContain("nobody");
  });

  it("copies a memory with its history to the other layout and back, where it goes on", async () => {
    const address = freshAddress();
    const options = { client, dbName, history: true } as const;
    const [here, there] = [new MongoMemoryStore(options), new MongoMemoryStore({ ...options, layout: "files" })].map(
      (store) => store.memory(address),
    );
    await here?.write("/a", "one");
    await here?.append("/a", "two");
    await here?.rename("/a", "/notes/b");
    const one = [...database, "--node", address.nodeId, "--history"];
    expect(await cli(["copy", ...one, "--to-layout", "files"])).toMatchObject({ exitCode: 0 });
    await there?.append("/notes/b", "three");
    expect((await there?.history?.read("2"))?.content).toBe("one\ntwo");
    await document.forget(address);
    expect(await cli(["copy", ...one, "--layout", "files", "--to-layout", "document"])).toMatchObject({ exitCode: 0 });
    const blamed = (await here?.history?.blame("/notes/b")) ?? [];
    expect(blamed.map(({ text, version }) => [text, version?.id])).toEqual([
      ["one", "1"],
      ["two", "2"],
      ["three", "4"],
    ]);
  });

  // Requirement: command-line.doctor
  it("doctor looks at the collection of the layout and its indexes", async () => {
    await files.memory(freshAddress()).write("/a", "x");
    const looked = async (): Promise<string[]> => {
      const { checks } = (await cliJson(["doctor", ...database, "--layout", "files"])) as unknown as {
        checks: { name: string; status: string }[];
      };
      expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
      return checks.map(({ name }) => name);
    };
    const first = await looked();
    expect(first).toEqual(
      expect.arrayContaining(["index files_by_id", "index memories_global", "index memories_by_user", "sizes"]),
    );
    expect(first).not.toContain("index files_by_words");
    await new MongoMemoryStore({ client, dbName, layout: "files", memoryTextIndex: true }).start();
    expect(await looked()).toContain("index files_by_words");
  });
});
