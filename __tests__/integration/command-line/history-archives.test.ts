import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { checkAddress } from "../../../src/core/values/address.js";
import type { ArchivedVersion } from "../../../src/core/history/archived-version.js";
import type { MemoryVersion } from "../../../src/core/history/history.js";
import type { Memory } from "../../../src/core/memory.js";
import { MemoryDatabase } from "../../../src/mongodb/admin/memory-database.js";
import { type LayoutName, layoutNames } from "../../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName, db } = testDatabase();
const stores = {
  document: new MongoMemoryStore({ client, dbName, history: true }),
  files: new MongoMemoryStore({ client, dbName, layout: "files", history: true }),
} satisfies Record<LayoutName, MongoMemoryStore>;
const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

interface Place {
  memory: Memory;
  nodeId: string;
  target: string[];
}

function newMemory(layout: LayoutName): Place {
  const nodeId = randomUUID();
  return {
    memory: stores[layout].memory({ nodeId }, { paths: "posix" }),
    nodeId,
    target: ["--uri", uri, "--db", dbName, "--layout", layout, "--node", nodeId],
  };
}

/** As a restoration leaves a memory that ended when only its first versions were made. */
async function breakOff(layout: LayoutName, nodeId: string): Promise<void> {
  const isOfFiles = layout === "files";
  const memories = db.collection(isOfFiles ? "memories_files" : "memories");
  const root = await memories.findOne<{ _id: unknown; history?: { id: string } }>({ nodeId });
  await memories.deleteMany(isOfFiles ? { $expr: { $regexMatch: { input: "$_id", regex: nodeId } } } : { nodeId });
  const history = String(isOfFiles ? root?.history?.id : root?._id);
  await db
    .collection<{ _id: string }>("memories_versions")
    .deleteMany({ _id: { $gt: `${history}.0000000005`, $lt: `${history}/` } });
}

async function listVersions({ history }: Memory): Promise<MemoryVersion[]> {
  const found: MemoryVersion[] = [];
  for await (const version of history?.list() ?? []) found.push(version);
  return found;
}

/** Every kind of change, one of them redacted, which moves the versions until then out of the memory's document. */
async function eventful(layout: LayoutName): Promise<Place> {
  const place = newMemory(layout);
  const { memory } = place;
  const ada = memory.with({ actor: { userId: "ada", runId: "run-1" } });
  await ada.write("/notes/a", "secret\n");
  await memory.update("/notes/a", "secret", "größe 🧠");
  await memory.append("/notes/a", "b");
  await memory.rename("/notes", "/archive/notes");
  await memory.write("/_bsontype", "1");
  await memory.delete("/_bsontype");
  await memory.write("/_bsontype", "Long");
  await memory.write("/empty/x", "x");
  await memory.delete("/empty/x");
  await memory.history?.redact("1");
  for (let index = 0; index < 3; index += 1) await ada.append("/log", `line ${index}`);
  await ada.delete("/archive/notes/a");
  return place;
}

/** All that a history can be asked for. */
async function everything(memory: Memory): Promise<unknown> {
  const versions = await listVersions(memory);
  const { history } = memory;
  const texts = await Promise.all(versions.map(async ({ id }) => (await history?.read(id))?.content));
  const trees = await Promise.all(
    ["1", "4", "8", "9", "11"].map(async (id) =>
      (await history?.at(id))?.files.map(({ path, content }) => [path, content]),
    ),
  );
  const { files, directories } = await memory.snapshot();
  return { versions, texts, trees, blame: await history?.blame("/log"), files, directories };
}

describe.each(layoutNames)("a memory with its history, in the layout %s,", (layout) => {
  const toLayout = ["--to-layout", layout];

  // Requirement: command-line.archives-with-history
  it("comes back the same from an export, and a second time is left alone", async () => {
    const [source, destination] = [await eventful(layout), newMemory(layout)];
    const archive = newPath();
    expect(await cliJson(["export", archive, "--history", ...source.target])).toMatchObject({
      memories: 1,
      files: 2,
      versions: 13,
    });
    expect(await cli(["import", archive, ...destination.target])).toMatchObject({
      stdout: "imported 1 memory: 2 files written, 13 versions\n",
    });
    expect(await everything(destination.memory)).toEqual(await everything(source.memory));
    expect(await cliJson(["import", archive, ...destination.target])).toEqual({
      ok: true,
      memories: 1,
      written: 0,
      replaced: 0,
      unchanged: 2,
      versions: 0,
    });
    expect(await readFile(archive, "utf8")).not.toContain("secret");
    await destination.memory.append("/log", "more");
    const [newest] = await listVersions(destination.memory);
    expect([newest?.id, newest?.operation]).toEqual(["14", "modified"]);
    expect((await destination.memory.history?.revert({ path: "/archive/notes/a", to: "3" }))?.length).toBe(1);
    expect(await destination.memory.read("/archive/notes/a")).toBe("größe 🧠\nb");
  });

  // Requirement: command-line.archives-with-history
  it("is copied to another database by --history only", async () => {
    const source = await eventful(layout);
    const [with_, without] = [newMemory(layout), newMemory(layout)];
    expect(
      await cliJson(["copy", "--history", ...source.target, ...toLayout, "--to-node", with_.nodeId]),
    ).toMatchObject({ written: 2, versions: 13 });
    expect(await everything(with_.memory)).toEqual(await everything(source.memory));
    await cliJson(["copy", ...source.target, ...toLayout, "--to-node", without.nodeId]);
    expect(await listVersions(without.memory)).toEqual([]);
    const other = testDatabase();
    const otherStore = new MongoMemoryStore({ client: other.client, dbName: other.name, layout, history: true });
    await cliJson([
      "copy",
      "--all",
      "--history",
      "--uri",
      uri,
      "--db",
      dbName,
      "--layout",
      layout,
      "--to-uri",
      uri,
      "--to-db",
      other.name,
      ...toLayout,
    ]);
    expect(await everything(otherStore.memory({ nodeId: source.nodeId }, { paths: "posix" }))).toEqual(
      await everything(source.memory),
    );
  });

  // Requirement: history.erased
  it("comes with versions that go when it expires", async () => {
    const [source, other] = [await eventful(layout), testDatabase()];
    let nowMs = Date.now();
    const options = {
      client: other.client,
      dbName: other.name,
      layout,
      history: true,
      expireMs: { global: 86_400_000 },
    };
    const otherStore = new MongoMemoryStore({ ...options, clock: () => new Date(nowMs) });
    await otherStore.start();
    await cliJson(["copy", "--history", ...source.target, "--to-uri", uri, "--to-db", other.name, ...toLayout]);
    const memory = otherStore.memory({ nodeId: source.nodeId }, { paths: "posix" });
    expect(await everything(memory)).toEqual(await everything(source.memory));
    const versions = other.db.collection("memories_versions");
    // MongoDB deletes these by their time. In the layout `files` the store removes them with the memory, and they have
    // a time after the next change.
    if (layout === "document") expect(await versions.countDocuments({ expiresAt: { $exists: false } })).toBe(0);
    nowMs += 2 * options.expireMs.global;
    await memory.write("/new", "x");
    expect((await listVersions(memory)).map(({ id }) => id)).toEqual(["1"]);
    if (layout === "files") expect(await versions.countDocuments()).toBe(2);
  });

  // Requirement: command-line.archives-with-history
  it("is not joined with another memory, nor put where none is kept; without its history it is", async () => {
    const [source, destination] = [await eventful(layout), newMemory(layout)];
    await destination.memory.write("/mine", "x");
    const archive = newPath();
    await cliJson(["export", archive, "--history", ...source.target]);
    const dir = ["--dir", newPath()];
    expect(await cli(["import", archive, ...destination.target])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("two histories cannot be made one"),
    });
    expect(await cli(["import", archive, ...dir])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("keeps no history"),
    });
    expect(await listVersions(destination.memory)).toHaveLength(1);
    for (const target of [destination.target, dir])
      expect(await cliJson(["import", archive, "--no-history", ...target])).toMatchObject({ written: 2 });
    expect(await cli(["export", newPath(), "--history", ...dir])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("keeps no history"),
    });
  });

  it("is brought in once, where an import ended before the memory was made, and two at once", async () => {
    const [source, destination] = [await eventful(layout), newMemory(layout)];
    const archive = newPath();
    await cliJson(["export", archive, "--history", ...source.target]);
    await cliJson(["import", archive, ...destination.target]);
    await breakOff(layout, destination.nodeId);
    await Promise.all([
      cli(["import", archive, ...destination.target]),
      cli(["import", archive, ...destination.target]),
    ]);
    expect(await everything(destination.memory)).toEqual(await everything(source.memory));
  });

  it("has the same versions in their order and file by file, of each the newest first", async () => {
    const { nodeId } = await eventful(layout);
    const database = await MemoryDatabase.connect({ uri, dbName, layout });
    const archived = await database.archived(checkAddress({ nodeId }));
    const inOrder: ArchivedVersion[] = [];
    await archived?.history?.each((version) => void inOrder.push(version));
    const files = [...new Set(inOrder.flatMap(({ file }) => file ?? []))];
    const byFile: ArchivedVersion[] = [];
    await archived?.history?.eachOf(files, (version) => void byFile.push(version));
    const oneByOne: ArchivedVersion[] = [];
    for (const file of files) await archived?.history?.eachOf([file], (version) => void oneByOne.push(version));
    await archived?.close();
    await database.close();
    const ofFiles = (some: typeof files): ArchivedVersion[] =>
      some.flatMap((file) => inOrder.filter((version) => version.file === file));
    expect(oneByOne).toEqual(ofFiles(files));
    expect(byFile).toEqual(ofFiles(files.toSorted().toReversed()));
    expect(inOrder.length).toBe(13);
  });

  it("is not exported where a store without history has changed it", async () => {
    const { memory, nodeId, target } = newMemory(layout);
    await memory.write("/a", "1");
    await memory.write("/a", "2");
    // What has left the memory's document is what it was then.
    await memory.history?.redact("1");
    await new MongoMemoryStore({ client, dbName, layout }).memory({ nodeId }).write("/a", "3");
    const { exitCode, stderr } = await cli(["export", "-", "--history", ...target]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(
        /version 2 is not what a memory records: the text of \/a.*a store without `history` has changed the memory; leave --history out/,
      ),
    ]);
  });
});

/** The lines of an archive, with some of them changed. */
async function forged(change: (lines: Record<string, unknown>[]) => void): Promise<string> {
  const { memory, target } = newMemory("document");
  await memory.write("/a", "one\n");
  await memory.append("/a", "two\n");
  await memory.rename("/a", "/b");
  await memory.write("/c", "x");
  await memory.delete("/c");
  const { stdout } = await cli(["export", "-", "--history", ...target]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  change(lines);
  const archive = `${newPath()}.jsonl`;
  await writeFile(
    archive,
    lines.map((line) => `${JSON.stringify("end" in line ? { ...line, lines: lines.length } : line)}\n`).join(""),
  );
  return archive;
}

const versionIn = (lines: Record<string, unknown>[], id: string): Record<string, unknown> =>
  lines
    .map(({ version }) => version as Record<string, unknown> | undefined)
    .find((version) => version?.["id"] === id) ?? {};

// Archives are read and refused before any layout is asked.
describe("a hostile archive", () => {
  it.each<[string, (lines: Record<string, unknown>[]) => void, RegExp]>([
    ["nothing", () => undefined, /^$/],
    [
      "another text before",
      (lines) => Object.assign(versionIn(lines, "2"), { older: { start: 0, text: "zwei", end: 0 } }),
      /version 1 .* size and hash/,
    ],
    [
      "another hash",
      (lines) => Object.assign(versionIn(lines, "2"), { sha256: "0".repeat(64) }),
      /version 2 .* size and hash/,
    ],
    ["another size", (lines) => Object.assign(versionIn(lines, "1"), { sizeBytes: 5 }), /version 1 .* size and hash/],
    [
      "more kept than there is",
      (lines) => Object.assign(versionIn(lines, "2"), { older: { start: 9, text: "", end: 9 } }),
      /keeps more/,
    ],
    [
      "another order",
      (lines) => void lines.splice(-5, 0, ...lines.splice(-4, 1)),
      /version 5 .* not older than the one before/,
    ],
    ["one version twice", (lines) => void lines.splice(4, 0, lines[4] ?? {}), /not older than the one before/],
    [
      "a version newer than the memory",
      (lines) => Object.assign(lines[1] ?? {}, { revision: 4 }),
      /newer than the memory/,
    ],
    ["no revision", (lines) => void delete lines[1]?.["revision"], /has no revision/],
    [
      "a path that leads out",
      (lines) => Object.assign(versionIn(lines, "5"), { path: "/../c" }),
      /no path of a memory/,
    ],
    [
      "another file that is not there",
      (lines) => Object.assign(versionIn(lines, "3"), { path: "/none" }),
      /no file \/none/,
    ],
    ["an id of another form", (lines) => Object.assign(versionIn(lines, "1"), { id: "01" }), /id: must be the id/],
    ["a field of its own", (lines) => Object.assign(versionIn(lines, "1"), { $where: "1" }), /where/],
    [
      "a lone surrogate",
      (lines) => Object.assign(versionIn(lines, "5"), { older: { start: 0, text: "\ud800", end: 0 } }),
      /lone surrogate/,
    ],
    [
      "an actor of no text",
      (lines) => Object.assign(versionIn(lines, "1"), { actor: { userId: { $ne: null } } }),
      /actor/,
    ],
  ])("with %s is refused before anything is written", async (_, change, message) => {
    const archive = await forged(change);
    const { nodeId, target } = newMemory("document");
    const { exitCode, stderr } = await cli(["import", archive, ...target]);
    expect(stderr.trimEnd()).toMatch(message);
    expect([
      exitCode,
      await db.collection("memories").countDocuments({ nodeId }),
      await db.collection("memories_versions").countDocuments({ nodeId }),
    ]).toEqual(message.test("") ? [0, 1, 1] : [2, 0, 0]);
  });
});
