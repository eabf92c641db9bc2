import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import {
  type Memory,
  type MemoryAddress,
  type MemorySnapshot,
  MongoMemoryStore,
  openMemory,
} from "../../../src/index.js";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { formatAddress } from "../../../src/cli/targets/address.js";
import { archiveOf, linesOf } from "../../helpers/archives.js";
import { hostileNames } from "../../helpers/hostile-names.js";
import { repetitions } from "../../helpers/repetitions.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";
import { until } from "../../helpers/until-answers.js";

const { client, uri, name: dbName, db } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const folder = testFolder();

const database = ["--uri", uri, "--db", dbName];
const newPath = (): string => join(folder, randomUUID());

function otherDatabase(): { name: string; target: string[]; store: MongoMemoryStore } {
  const { name } = testDatabase();
  return { name, target: ["--uri", uri, "--db", name], store: new MongoMemoryStore({ client, dbName: name }) };
}

interface Place {
  nodeId: string;
  memory: Memory;
  target: string[];
}

function newMemory(): Place {
  const nodeId = randomUUID();
  return { nodeId, memory: store.memory({ nodeId }), target: [...database, "--node", nodeId] };
}

function newFolder(): { dir: string; memory: Memory } {
  const dir = newPath();
  return { dir, memory: openDirectoryMemory({ dir }) };
}

/** Files with their texts, and directories. */
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

/** Finds the names that a memory takes as they are. A tree of refused names would make no memory. */
async function findLegalNames(names: readonly string[]): Promise<string[]> {
  const legal: string[] = [];
  for (const name of names.filter((each) => each.normalize("NFC") === each)) {
    const memory = openMemory(new InMemoryStore(), { nodeId: "names" });
    await memory.write(`/${name}`, "x").catch(() => undefined);
    const { files } = await memory.snapshot();
    if (files[0]?.path === `/${name}`) legal.push(name);
  }
  return legal;
}

const legalNames = await findLegalNames(hostileNames);
const segment = fc.oneof(fc.constantFrom("a", "A", "b", "con", "x.", "_", "..."), fc.constantFrom(...legalNames));
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
const text = fc.oneof(
  fc.constantFrom("", "\n", "a\r\nb", "\uFEFF", "é🧠\0\u001b[2J\u007f\u202e", "$x"),
  fc.string({ unit: "grapheme" }),
);
/** Null: an empty directory stays where the file was. */
const trees = fc.array(fc.tuple(path, fc.option(text)), { minLength: 1, maxLength: 12 });

describe("any memory", () => {
  it("comes back the same from an export, and a second time nothing is written", async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const [source, destination] = [newMemory(), newMemory()];
        await fill(source.memory, tree);
        const archive = newPath();
        await cliJson(["export", archive, ...source.target]);
        await cliJson(["import", archive, ...destination.target]);
        const found = await destination.memory.snapshot();
        expect(found.files).toEqual((await source.memory.snapshot()).files);
        expect(await cliJson(["import", archive, ...destination.target])).toMatchObject({
          written: 0,
          replaced: 0,
          unchanged: found.files.length,
        });
        expect((await destination.memory.snapshot()).revision).toBe(found.revision);
      }),
      { numRuns: repetitions({ usual: 4, long: 50 }) },
    );
  });

  it("goes through a folder and back, wherever file systems can hold its names", async () => {
    const plain = fc
      .array(fc.constantFrom("a", "b", "é", "notes.md", "a b"), { minLength: 1, maxLength: 3 })
      .map((names) => `/${names.join("/")}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(plain, fc.option(text)), { minLength: 1, maxLength: 8 }), async (tree) => {
        const [source, between, destination] = [newMemory(), newFolder(), newMemory()];
        await fill(source.memory, tree);
        await cliJson(["export", "--to-dir", between.dir, ...source.target]);
        expect(readContents(await between.memory.snapshot()).files).toEqual(
          readContents(await source.memory.snapshot()).files,
        );
        await mkdir(between.dir, { recursive: true });
        await cliJson(["import", "--dir", between.dir, ...destination.target]);
        expect(readContents(await destination.memory.snapshot()).files).toEqual(
          readContents(await source.memory.snapshot()).files,
        );
      }),
      { numRuns: repetitions({ usual: 3, long: 15 }) },
    );
  });
});

describe("500 files with unusual names and times", () => {
  const names = [...legalNames, "..."];
  const time = (index: number): string => new Date(index * 1e9 * (index % 3 === 0 ? -1 : 1)).toISOString();
  const address = { nodeId: "a/b $ é", scope: "perUser", userId: "ada@example.com" };
  const files = Array.from({ length: 500 }, (_, index) => ({
    path: `/${index % 20}/${names[index % names.length]}/${index}`,
    createdAt: time(index),
    updatedAt: time(index + 500),
    content: `${index} é🧠\n`.repeat(index % 50),
  }));
  const archive = archiveOf([...files.map((file) => ({ memory: address, ...file })), { end: true }]);

  it("come back from an export with their times", async () => {
    const [first, second] = [otherDatabase(), otherDatabase()];
    expect(await cliJson(["import", "-", ...first.target], { stdin: archive })).toMatchObject({ written: 500 });
    const exported = (await cli(["export", "-", "--all", ...first.target])).stdout;
    const byPath = (lines: ReturnType<typeof linesOf>): unknown[] =>
      lines.filter((line) => "path" in line).toSorted((a, b) => (String(a["path"]) < String(b["path"]) ? -1 : 1));
    expect(byPath(linesOf(exported))).toEqual(byPath(linesOf(archive)));
    expect(await cliJson(["import", "-", ...second.target], { stdin: exported })).toMatchObject({ written: 500 });
    expect((await cli(["export", "-", "--all", ...second.target])).stdout).toBe(exported);
  });
});

describe("an export", () => {
  it("of all memories keeps each apart, and import brings each back to where it came from", async () => {
    const [other, fresh] = [otherDatabase(), otherDatabase()];
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
    expect(await cliJson(["export", to, "--all", ...other.target])).toMatchObject({ memories: 5, files: 5 });
    expect(await cliJson(["import", to, ...fresh.target])).toMatchObject({ memories: 5, written: 5 });
    for (const [index, address] of addresses.entries())
      expect(await fresh.store.memory(address).read("/same/name")).toBe(String(index));
    expect(await cli(["import", to, ...database, "--node", "one"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("none of the 5 memories is of this name; leave --node"),
    });
    expect((await store.memory({ nodeId: "one" }).snapshot()).revision).toBe(0);
  });

  it("of several memories is confined by --user and by --node, and says before it writes what it touches", async () => {
    const from = otherDatabase();
    const addresses: MemoryAddress[] = [
      { nodeId: "a" },
      { nodeId: "a", scope: "perUser", userId: "ada" },
      { nodeId: "b", scope: "perUser", userId: "ada" },
      { nodeId: "b", scope: "perUser", userId: "bob" },
    ];
    for (const address of addresses) await from.store.memory(address).write("/a", "1");
    const { stdout: stdin } = await cli(["export", "-", "--all", ...from.target]);
    const restore = async (options: string[]): Promise<{ touched: number[]; stderr: string }> => {
      const to = otherDatabase();
      const dry = await cli(["import", "-", "--dry-run", ...options, ...to.target], { stdin });
      const { exitCode, stderr } = await cli(["import", "-", ...options, ...to.target], { stdin });
      expect([exitCode, stderr]).toEqual([0, dry.stderr]);
      const found = await Promise.all(addresses.map((address) => to.store.memory(address).stat("/a")));
      return { touched: found.flatMap((stat, index) => (stat === null ? [] : [index])), stderr };
    };
    expect(await restore(["--user", "ada"])).toEqual({
      touched: [1, 2],
      stderr: ["a", "b"]
        .map((node) => `note: ${formatAddress({ nodeId: node, scope: "perUser", userId: "ada" })}: 1 file to write\n`)
        .join(""),
    });
    expect(await restore(["--node", "b", "--user", "bob"])).toEqual({ touched: [3], stderr: "" });
    expect(await restore(["--node", "a"])).toEqual({ touched: [0], stderr: "" });
    expect((await restore([])).stderr.split("\n")).toHaveLength(5);
    const { exitCode } = await cli(["import", "-", "--user", "eve", ...from.target], { stdin });
    expect(exitCode).toBe(1);
  });

  it("comes in with the names of version 0.1.0 that end with a blank, without the blanks, and says so", async () => {
    const { memory, target } = newMemory();
    const at = "2026-01-01T00:00:00.000Z";
    const archiveWith = (...paths: string[]): string =>
      archiveOf([
        ...paths.map((each) => ({
          memory: { nodeId: "old" },
          path: each,
          createdAt: at,
          updatedAt: at,
          content: each,
        })),
        { end: true },
      ]);
    const stdin = archiveWith("/ d /a ", "/b ", "/c");
    const { exitCode, stderr } = await cli(["import", "-", ...target], { stdin });
    expect(exitCode).toBe(0);
    for (const change of ["/ d /a  becomes /d/a,", "/b  becomes /b,"]) expect(stderr).toContain(change);
    expect(readContents(await memory.snapshot())).toEqual({
      files: [
        ["/b", "/b "],
        ["/c", "/c"],
        ["/d/a", "/ d /a "],
      ],
      directories: ["/d"],
    });
    expect(await cliJson(["import", "-", ...target], { stdin })).toMatchObject({ written: 0, unchanged: 3 });
    expect(await cli(["import", "-", ...newMemory().target], { stdin: archiveWith("/b ", "/b") })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("/b is there twice without the blanks in its names"),
    });
  });

  it("piped into an import copies a database, up to a memory that cannot be copied, and goes on the next time", async () => {
    const [from, to] = [otherDatabase(), otherDatabase()];
    const addresses = Array.from({ length: 5 }, (_, index) => ({
      nodeId: `node ${index}`,
      scope: "perThread" as const,
      threadId: "a.b:c",
    }));
    for (const address of addresses) await from.store.memory(address).write("/a", address.nodeId);
    await to.store.memory({ nodeId: "node 4", scope: "perThread", threadId: "a.b:c" }).write("/a", "other");
    const { stdout: stdin } = await cli(["export", "-", "--all", ...from.target]);
    expect(await cli(["import", "-", ...to.target], { stdin })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/node 4.*--overwrite/),
    });
    expect(await cliJson(["import", "-", "--overwrite", ...to.target], { stdin })).toMatchObject({
      memories: 5,
      written: 0,
      replaced: 1,
      unchanged: 4,
    });
    for (const address of addresses) expect(await to.store.memory(address).read("/a")).toBe(address.nodeId);
  });

  it("of a user or a thread has the memories of all nodes, as forget takes them", async () => {
    const other = otherDatabase();
    const [ada, t] = [{ scope: "perUser", userId: "ada" } as const, { scope: "perThread", threadId: "ada" } as const];
    const addresses = [
      { nodeId: "a", ...ada },
      { nodeId: "b", ...ada },
      { nodeId: "a", scope: "perUser" as const, userId: "eve" },
      { nodeId: "a", ...t },
      { nodeId: "a" },
    ];
    for (const address of addresses) await other.store.memory(address).write("/a", "x");
    const exported = async (...flags: string[]): Promise<unknown[]> => {
      const { stdout } = await cli(["export", "-", ...flags, ...other.target]);
      return linesOf(stdout).flatMap((line) => ("memory" in line ? [line["memory"]] : []));
    };
    expect(await exported("--user", "ada")).toEqual([
      { nodeId: "a", ...ada },
      { nodeId: "b", ...ada },
    ]);
    expect(await exported("--thread", "ada")).toEqual([{ nodeId: "a", ...t }]);
    expect(await exported("--user", "ada", "--node", "b")).toEqual([{ nodeId: "b", ...ada }]);
    const to = newPath();
    expect(await cli(["export", to, "--user", "adda", ...other.target])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: no memory was found; `memories` lists/),
    });
    expect(await readdir(folder)).not.toContain(to.split("/").at(-1));
  });

  it("is a line for each file, with its memory and times, and their number", async () => {
    const { nodeId, memory, target } = newMemory();
    await memory.write("/a", "1");
    const { stdout } = await cli(["export", "-", ...target]);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(linesOf(stdout)).toEqual([
      { memory: { nodeId, scope: "global" }, path: "/a", content: "1", createdAt: time, updatedAt: time },
      { end: true, files: 1 },
    ]);
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
      stderr: expect.stringContaining("there is no such file or folder"),
    });
    expect((await readdir(folder)).filter((name) => name.endsWith("~part"))).toEqual([]);
  });
});

describe("an import", () => {
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
    expect(await cli(["import", archive, ...destination.target])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^error: node .*: \/a: EEXIST: .*; pass --overwrite to replace .*\n$/),
    });
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

  it("with --dry-run says what it would write, and makes nothing, not even a collection", async () => {
    const [source, fresh] = [newMemory(), otherDatabase()];
    await fill(source.memory, [
      ["/a", "1"],
      ["/empty/x", null],
    ]);
    const archive = newPath();
    await cliJson(["export", archive, ...source.target]);
    expect(await cliJson(["import", archive, "--dry-run", ...fresh.target])).toEqual({
      ok: true,
      dryRun: true,
      memories: 1,
      written: 1,
      replaced: 0,
      unchanged: 0,
    });
    expect((await cli(["import", archive, "--dry-run", ...fresh.target])).stdout).toBe(
      "checked, not imported, 1 memory: 1 file written\n",
    );
    expect(await client.db(fresh.name).listCollections().toArray()).toEqual([]);
    await fill(source.memory, [["/a", "2"]]);
    expect(await cli(["import", archive, "--dry-run", ...source.target])).toMatchObject({ exitCode: 1 });
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
    expect(readContents(await destination.memory.snapshot()).files).toEqual(
      readContents(await source.memory.snapshot()).files,
    );
  });

  it("refuses what a memory cannot take before anything is written to it", async () => {
    const source = newMemory();
    await fill(source.memory, [
      ["/a", "1"],
      ["/dir/b", "2"],
      ["/empty/x", null],
      ["/con", "3"],
      ["/notes.md", "4"],
    ]);
    const archive = newPath();
    await cliJson(["export", archive, ...source.target]);
    const places: [path: string, message: RegExp][] = [
      ["/a/x", /: \/a: EISDIR: .*; move or remove the directory/],
      ["/dir", /: \/dir\/b: ENOTDIR: .*; move or remove the file/],
    ];
    for (const [taken, message] of places) {
      const { memory, target } = newMemory();
      await memory.write(taken, "x");
      expect(await cli(["import", archive, ...target])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(message),
      });
      expect((await memory.snapshot()).revision).toBe(1);
    }
    const inFolder = newFolder();
    expect(await cli(["import", archive, "--to-dir", inFolder.dir])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/: \/con: invalid path segment.*; rename it in the source/),
    });
    expect((await inFolder.memory.snapshot()).files).toEqual([]);
    const plain = newMemory();
    expect(await cli(["import", archive, "--paths", "plain", ...plain.target])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("/notes.md"),
    });
    expect((await plain.memory.snapshot()).revision).toBe(0);
  });

  it("refuses two names that are the same in a folder before anything is written", async () => {
    const [source, empty, taken] = [newMemory(), newFolder(), newFolder()];
    await fill(source.memory, [
      ["/first", "1"],
      ["/Notes/a", "2"],
      ["/notes/b", "3"],
    ]);
    await taken.memory.write("/NOTES/c", "x");
    for (const { dir, memory } of [empty, taken]) {
      const before = await memory.snapshot();
      expect(await cli(["export", "--to-dir", dir, ...source.target])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/\/notes.* the same on some file systems/i),
      });
      expect(await memory.snapshot()).toEqual(before);
    }
  });

  it("refuses a memory that a standalone server cannot hold before anything is written", async () => {
    const { uri: standalone, client: own, name } = testDatabase("standalone");
    const { dir, memory } = newFolder();
    for (let index = 0; index < 16; index += 1) await memory.write(`/${index}`, "x".repeat(1_000_000));
    const elsewhere = ["--uri", standalone, "--db", name, "--node", "a"];
    const { exitCode, stderr } = await cli(["import", "--dir", dir, ...elsewhere]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ENOSPC")]);
    expect(await own.db(name).listCollections().toArray()).toEqual([]);
    // A replica set holds it.
    expect(await cliJson(["import", "--dir", dir, ...newMemory().target])).toMatchObject({ written: 16 });
  });

  it("says what cannot be read, and what has no place", async () => {
    const { memory, target } = newMemory();
    await memory.write("/a", "1");
    expect(await cli(["import", newPath(), ...target])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no such file or folder"),
    });
    const dir = folderWith(folder, { a: "1" });
    expect(await cli(["import", "--dir", dir, ...database])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no memory was named for the files of the folder; pass --node"),
    });
    expect(await cli(["import", "--dir", newPath(), ...target])).toMatchObject({ exitCode: 2 });
    for (const argv of [[], ["file", "--dir", dir]])
      expect(await cli(["import", ...argv, ...target])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("pass one of them"),
      });
  });
});

describe("a link in a folder", () => {
  it("is not followed by export --to-dir, and not read by import --dir", async () => {
    const elsewhere = folderWith(folder, { kept: "x" });
    const [source, destination] = [newMemory(), newMemory()];
    await fill(source.memory, [["/out/kept", "changed"]]);
    const dir = folderWith(folder, { a: "1" });
    await symlink(elsewhere, join(dir, "out"));
    await symlink(join(elsewhere, "kept"), join(dir, "file"));
    expect(await cli(["export", "--to-dir", dir, "--overwrite", ...source.target])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("leads through a link"),
    });
    expect(await readFile(join(elsewhere, "kept"), "utf8")).toBe("x");
    const reason = "it is a link, which is not followed";
    expect(await cliJson(["import", "--dir", dir, ...destination.target])).toMatchObject({
      skipped: [
        { path: "/file", reason },
        { path: "/out", reason },
      ],
    });
    expect(readContents(await destination.memory.snapshot()).files).toEqual([["/a", "1"]]);
  });
});

describe("a memory of many small files", () => {
  const manyFiles = 4500;
  const createdAt = "2026-01-01T00:00:00.000Z";
  const updatedAt = "2026-01-02T00:00:00.000Z";

  async function writeArchive(): Promise<string> {
    const files = Array.from({ length: manyFiles }, (_, index) => {
      const name = `/d${index % 30}/f${index}`;
      return { memory: { nodeId: "any" }, path: name, createdAt, updatedAt, content: `note ${index}` };
    });
    const file = newPath();
    await writeFile(file, archiveOf([...files, { end: true }]));
    return file;
  }

  it("is imported by some commands for each 2,000 files", async () => {
    const archive = await writeArchive();
    const { memory, target } = newMemory();
    const since = new Date();
    await db.command({ profile: 2 });
    await cliJson(["import", archive, ...target]);
    await db.command({ profile: 0 });
    const commands = await db
      .collection("system.profile")
      .countDocuments({ ns: `${dbName}.memories`, op: { $ne: "getmore" }, ts: { $gte: since } });
    expect(commands).toBeLessThan(30);
    expect((await memory.snapshot()).files).toHaveLength(manyFiles);
  });

  /** One that was over before its process was killed shows nothing, so there is another. */
  async function killedImport(archive: string): Promise<Place> {
    for (;;) {
      const place = newMemory();
      const child = spawnCli(["import", archive, ...place.target]);
      const end = ended(child);
      await until(async () => (await place.memory.list()).length > 0);
      child.kill("SIGKILL");
      await end;
      if ((await place.memory.snapshot()).files.length < manyFiles) return place;
    }
  }

  it("leaves whole files where its import is killed between two batches, and is imported to the end by a second run", async () => {
    const archive = await writeArchive();
    const [killed, whole] = [await killedImport(archive), newMemory()];
    const { files } = await killed.memory.snapshot();
    expect(files.length).toBeGreaterThanOrEqual(2000);
    expect(files.filter((file) => file.content !== `note ${file.path.split("f").at(-1)}`)).toEqual([]);
    expect(await cliJson(["import", archive, ...killed.target])).toMatchObject({
      written: manyFiles - files.length,
      unchanged: files.length,
    });
    await cliJson(["import", archive, ...whole.target]);
    expect((await killed.memory.snapshot()).files).toEqual((await whole.memory.snapshot()).files);
  });
});
