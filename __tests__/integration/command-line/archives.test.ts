import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Memory, MemorySnapshot } from "../../../src/core/memory.js";
import { normalizePath } from "../../../src/core/values/paths.js";
import { openDirectoryMemory } from "../../../src/backends/directory/open-directory-memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { hostileNames } from "../../helpers/hostile-names.js";
import { repetitions } from "../../helpers/repetitions.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const folder = testFolder();

const database = ["--uri", uri, "--db", dbName];
const newPath = (): string => join(folder, randomUUID());

function otherDatabase(): { name: string; store: MongoMemoryStore } {
  const { name } = testDatabase();
  return { name, store: new MongoMemoryStore({ client, dbName: name }) };
}

interface Place {
  memory: Memory;
  target: string[];
}

function newMemory(): Place {
  const nodeId = randomUUID();
  return {
    memory: store.memory({ nodeId }, { paths: "posix" }),
    target: [...database, "--node", nodeId],
  };
}

function newFolderMemory(): Place & { dir: string } {
  const dir = newPath();
  return { memory: openDirectoryMemory({ dir, paths: "posix" }), target: ["--dir", dir], dir };
}

/** Files with their texts, and directories: all that a copy must keep. */
function readContents({ files, directories }: MemorySnapshot): { files: [string, string][]; directories: string[] } {
  return { files: files.map(({ path, content }) => [path, content]), directories };
}

/** Writes as much of a tree as a memory takes. */
async function fill(memory: Memory, tree: readonly (readonly [path: string, content: string | null])[]): Promise<void> {
  for (const [path, content] of tree) {
    try {
      await memory.write(path, content ?? "x");
      if (content === null) await memory.delete(path);
    } catch {
      // Taken by a file or directory before it.
    }
  }
}

/** A tree of names that are refused would make no memory. */
function isLegal(name: string): boolean {
  try {
    return normalizePath(`/${name}`) === `/${name}` && name.normalize("NFC") === name;
  } catch {
    return false;
  }
}

const legalNames = hostileNames.filter(isLegal);
const segment = fc.oneof(fc.constantFrom("a", "A", "b", "con", "x.", "~", "..."), fc.constantFrom(...legalNames));
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
const text = fc.oneof(fc.constantFrom("", "\n", "a\r\nb", "\uFEFF", "é🧠\0", "$x"), fc.string({ unit: "grapheme" }));
/** Null: an empty directory stays where the file was. */
const trees = fc.array(fc.tuple(path, fc.option(text)), { minLength: 1, maxLength: 12 });

describe("any memory", () => {
  // Requirement: command-line.export-and-import
  it("comes back the same from an export", async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const [source, destination] = [newMemory(), newMemory()];
        await fill(source.memory, tree);
        const archive = newPath();
        await cliJson(["export", archive, ...source.target]);
        await cliJson(["import", archive, ...destination.target]);
        const [expected, found] = [await source.memory.snapshot(), await destination.memory.snapshot()];
        expect(readContents(found)).toEqual(readContents(expected));
        expect(found.files.map(({ createdAt, updatedAt }) => [createdAt, updatedAt])).toEqual(
          expected.files.map(({ createdAt, updatedAt }) => [createdAt, updatedAt]),
        );
      }),
      { numRuns: repetitions({ usual: 4, long: 25 }) },
    );
  });

  it("is copied as it is, and a second time without any change", async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const [source, destination] = [newMemory(), newMemory()];
        await fill(source.memory, tree);
        const to = destination.memory.address.nodeId;
        await cliJson(["copy", ...source.target, "--to-node", to]);
        const found = await destination.memory.snapshot();
        expect(readContents(found)).toEqual(readContents(await source.memory.snapshot()));
        expect(await cliJson(["copy", ...source.target, "--to-node", to])).toMatchObject({
          written: 0,
          replaced: 0,
          unchanged: found.files.length,
        });
        expect((await destination.memory.snapshot()).revision).toBe(found.revision);
      }),
      { numRuns: repetitions({ usual: 4, long: 25 }) },
    );
  });

  it("goes through a folder and back, wherever file systems can hold its names", async () => {
    const plain = fc
      .array(fc.constantFrom("a", "b", "é", "notes.md", "a b"), { minLength: 1, maxLength: 3 })
      .map((names) => `/${names.join("/")}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(plain, fc.option(text)), { minLength: 1, maxLength: 8 }), async (tree) => {
        const [source, between, destination] = [newMemory(), newFolderMemory(), newMemory()];
        await fill(source.memory, tree);
        await cliJson(["copy", ...source.target, "--to-dir", between.dir]);
        expect(readContents(await between.memory.snapshot())).toEqual(readContents(await source.memory.snapshot()));
        await mkdir(between.dir, { recursive: true });
        await cliJson([
          "copy",
          ...between.target,
          "--to-uri",
          uri,
          "--to-db",
          dbName,
          "--to-node",
          destination.memory.address.nodeId,
        ]);
        expect(readContents(await destination.memory.snapshot())).toEqual(readContents(await source.memory.snapshot()));
      }),
      { numRuns: repetitions({ usual: 4, long: 15 }) },
    );
  });
});

describe("a copy", () => {
  // Requirement: command-line.databases
  it("goes to the database of the source where --to-uri and --to-db name none", async () => {
    const [source, destination] = [newMemory(), newMemory()];
    await source.memory.write("/a", "text");
    await cliJson(["copy", ...source.target, "--to-uri", uri, "--to-node", destination.memory.address.nodeId]);
    expect(await destination.memory.read("/a")).toBe("text");
  });
});

describe("an export", () => {
  // Requirement: command-line.export-keeps-memories-apart
  it("of all memories keeps each apart, and import brings each back to where it came from", async () => {
    const other = otherDatabase();
    const addresses = [
      { nodeId: "a/b" },
      { nodeId: "a%2Fb" },
      { nodeId: "A/b" },
      { nodeId: "x".repeat(500), scope: "perThread" as const, threadId: "ada@example.com" },
      { nodeId: "a/b", scope: "perThread" as const, threadId: "global" },
    ];
    for (const [index, address] of addresses.entries())
      await other.store.memory(address).write("/same/name", String(index));
    const to = newPath();
    expect(await cliJson(["export", to, "--all", "--uri", uri, "--db", other.name])).toMatchObject({
      memories: 5,
      files: 5,
    });
    const fresh = otherDatabase();
    expect(await cliJson(["import", to, "--uri", uri, "--db", fresh.name])).toMatchObject({ memories: 5, written: 5 });
    for (const [index, address] of addresses.entries())
      expect(await fresh.store.memory(address).read("/same/name")).toBe(String(index));
    expect(await cli(["import", to, ...database, "--node", "one"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("holds 5 memories"),
    });
  });

  it("appears whole or not at all", async () => {
    const { memory, target } = newMemory();
    await memory.write("/a", "1");
    const to = `${newPath()}.jsonl`;
    await writeFile(to, "mine");
    expect((await cli(["export", to, ...target])).exitCode).toBe(1);
    expect(await readFile(to, "utf8")).toBe("mine");
    expect(await cli(["export", join(folder, "missing", "file.jsonl"), ...target])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("missing"),
    });
    expect((await readdir(folder)).filter((name) => name.endsWith("~part"))).toEqual([]);
  });
});

describe("an import", () => {
  // Requirement: command-line.goes-on
  it("goes on after it was broken off, with what was a directory half made", async () => {
    const [source, destination] = [newMemory(), newMemory()];
    await fill(source.memory, [
      ["/a", "1"],
      ["/b", "2"],
      ["/empty/x", null],
    ]);
    await fill(destination.memory, [
      ["/a", "1"],
      ["/empty/~", "Left behind by a copy that was broken off; it may be deleted.\n"],
    ]);
    const archive = newPath();
    await cliJson(["export", archive, ...source.target]);
    expect(await cliJson(["import", archive, ...destination.target])).toMatchObject({ written: 1, unchanged: 1 });
    expect(readContents(await destination.memory.snapshot())).toEqual(readContents(await source.memory.snapshot()));
  });

  // Requirement: command-line.import-replaces-when-told
  it("replaces other contents only when told to, and deletes nothing", async () => {
    const [source, destination] = [newMemory(), newMemory()];
    await fill(source.memory, [
      ["/a", "1"],
      ["/b", "2"],
    ]);
    await fill(destination.memory, [
      ["/a", "other"],
      ["/mine", "x"],
    ]);
    const archive = newPath();
    await cliJson(["export", archive, ...source.target]);
    const { exitCode, stderr } = await cli(["import", archive, ...destination.target]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/\/a would be replaced.*--overwrite/)]);
    expect((await destination.memory.snapshot()).files).toHaveLength(2);
    expect(await cliJson(["import", archive, ...destination.target, "--overwrite"])).toMatchObject({
      written: 1,
      replaced: 1,
    });
    expect(readContents(await destination.memory.snapshot()).files).toEqual([
      ["/a", "1"],
      ["/b", "2"],
      ["/mine", "x"],
    ]);
  });

  it("reads JSONL from the standard input, in pieces of any size", async () => {
    const [source, destination] = [newMemory(), newMemory()];
    await fill(source.memory, [
      ["/a", "x".repeat(300_000)],
      ["/b", "é🧠\n"],
    ]);
    const { stdout } = await cli(["export", "-", ...source.target]);
    const bytes = Buffer.from(stdout);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let start = 0; start < bytes.length; start += 70_001) yield bytes.subarray(start, start + 70_001);
    }
    expect((await cli(["import", "-", ...destination.target], { stdin: pieces() })).exitCode).toBe(0);
    expect(readContents(await destination.memory.snapshot())).toEqual(readContents(await source.memory.snapshot()));
  });

  // Requirement: command-line.import-is-checked-first
  it("refuses what a memory cannot take before anything is written", async () => {
    const source = newMemory();
    await fill(source.memory, [
      ["/a", "1"],
      ["/dir/b", "2"],
      ["/con", "3"],
    ]);
    const archive = newPath();
    await cliJson(["export", archive, ...source.target]);
    const asDirectory = newMemory();
    await asDirectory.memory.write("/a/x", "x");
    expect(await cli(["import", archive, ...asDirectory.target])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("/a is a directory there"),
    });
    const asFile = newMemory();
    await asFile.memory.write("/dir", "x");
    expect(await cli(["import", archive, ...asFile.target])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("/dir is a file there"),
    });
    for (const { memory } of [asDirectory, asFile]) expect((await memory.snapshot()).revision).toBe(1);
    const inFolder = newFolderMemory();
    expect(await cli(["import", archive, ...inFolder.target])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("/con: invalid path segment"),
    });
    expect((await inFolder.memory.snapshot()).files).toEqual([]);
    const dotted = newMemory();
    await dotted.memory.write("/notes.md", "1");
    expect(await cli(["copy", ...dotted.target, "--paths", "plain", "--to-node", randomUUID()])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("/notes.md"),
    });
  });

  // Requirement: command-line.import-is-checked-first
  it("refuses a memory that would be over its limit before anything is written", async () => {
    const [source, destination] = [newFolderMemory(), newMemory()];
    for (let index = 0; index < 16; index += 1) await source.memory.write(`/${index}`, "x".repeat(1_000_000));
    const { exitCode, stderr } = await cli([
      "copy",
      ...source.target,
      "--to-uri",
      uri,
      "--to-db",
      dbName,
      "--to-node",
      destination.memory.address.nodeId,
    ]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ENOSPC")]);
    expect((await destination.memory.snapshot()).files).toEqual([]);
  });

  it("says what cannot be read, and what cannot be written", async () => {
    const { memory, target } = newMemory();
    await memory.write("/a", "1");
    expect(await cli(["import", newPath(), ...target])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no such file or folder"),
    });
    expect(await cli(["export", join(folder, "missing", "file"), ...target])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("no such file or folder"),
    });
  });
});
