import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, jest } from "@jest/globals";
import { type ClientSession, Collection } from "mongodb";
import { checkHistory } from "../../../src/cli/archive/history-check.js";
import { readTree, readTreeWithHistory, withTree } from "../../../src/cli/archive/tree.js";
import { openMemoryIn } from "../../../src/cli/targets/open-target.js";
import { type CheckedAddress, checkAddress } from "../../../src/core/values/address.js";
import type { Memory } from "../../../src/core/memory.js";
import { hashSha256 } from "../../../src/core/values/sha256.js";
import { MemoryDatabase } from "../../../src/mongodb/admin/memory-database.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { isLong } from "../../helpers/repetitions.js";
import { cliJson } from "../../helpers/run-cli.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { until } from "../../helpers/until-answers.js";
import { testFolder } from "../../helpers/test-folder.js";

const { client, uri, name: dbName, db } = testDatabase("replicaSet");
const store = new MongoMemoryStore({ client, dbName, layout: "files" });
const recording = new MongoMemoryStore({ client, dbName, layout: "files", history: true });
const opened = MemoryDatabase.connect({ uri, dbName, layout: "files" });
const folder = testFolder();
const database = ["--uri", uri, "--db", dbName, "--layout", "files"];
const newPath = (): string => join(folder, randomUUID());

afterAll(async () => (await opened).close());

interface Place {
  address: CheckedAddress;
  memory: Memory;
  target: string[];
}

function newMemory(of = store): Place {
  const address = checkAddress(freshAddress());
  return {
    address,
    memory: of.memory(address, { paths: "posix", maxFileBytes: 15_000_000 }),
    target: [...database, "--node", address.nodeId],
  };
}

type Texts = [path: string, content: string][];

/** The tree that `export` and `copy` read, in which `meanwhile` happens after the paths were read. */
async function textsOf(address: CheckedAddress, meanwhile: () => Promise<unknown>): Promise<Texts> {
  const open = openMemoryIn(await opened, address, { access: "read", paths: "posix" });
  return withTree(await readTree(open), async ({ files }) => {
    await meanwhile();
    const texts: Texts = [];
    for (const { path, load } of files) texts.push([path, (await load()).content]);
    return texts;
  });
}

/** As the server answers that no longer has a moment. It keeps each for five minutes, unless it is told otherwise. */
function loseTheMoment(): void {
  jest.spyOn(Collection.prototype, "find").mockImplementationOnce(() => {
    throw Object.assign(new Error("SnapshotTooOld"), { name: "MongoServerError", code: 239 });
  });
}

async function everything(memory: Memory): Promise<unknown> {
  const versions = [];
  for await (const version of memory.history?.list() ?? [])
    versions.push({ ...version, ...(await memory.history?.read(version.id)) });
  return { versions, files: (await memory.snapshot()).files };
}

interface Reply {
  op: string;
  nreturned: number;
  ninserted: number;
  docsExamined: number;
  responseLength: number;
}

/** What the server answers to those who use a collection meanwhile. */
async function repliesTo(
  run: () => Promise<unknown>,
  collection = "memories_files",
  ops = ["query", "getmore"],
): Promise<Reply[]> {
  const since = new Date();
  await db.command({ profile: 2 });
  await run();
  await db.command({ profile: 0 });
  return db
    .collection("system.profile")
    .find<Reply>({ ns: `${dbName}.${collection}`, op: { $in: ops }, ts: { $gte: since } })
    .sort({ ts: 1 })
    .toArray();
}

describe("a memory that may be larger than the process", () => {
  // Requirement: files.archives
  it("is listed by an index, and its texts come 4 MB at a time; it is exported, imported and copied though it takes more than a document", async () => {
    const [source, imported, copied] = [newMemory(), newMemory(), newMemory()];
    const texts = Array.from({ length: 9 }, (_, index): [string, string] => [
      `/${index % 3}/${index}`,
      `${index}`.repeat(1_900_000),
    ]);
    for (const [path, text] of texts) await source.memory.write(path, text);
    const archive = newPath();
    const replies = await repliesTo(() => cliJson(["export", archive, ...source.target]));
    const reads = replies.filter(({ nreturned }) => nreturned > 1);
    expect(reads.map(({ nreturned, docsExamined }) => [nreturned, docsExamined])).toEqual([
      [13, 0],
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
    expect(Math.max(...replies.map(({ responseLength }) => responseLength))).toBeLessThan(4_100_000);
    expect(await cliJson(["import", archive, ...imported.target])).toMatchObject({ written: 9 });
    expect(await cliJson(["copy", ...source.target, "--to-node", copied.address.nodeId])).toMatchObject({ written: 9 });
    const expected = (await source.memory.snapshot()).files;
    for (const { memory } of [imported, copied]) expect((await memory.snapshot()).files).toEqual(expected);
    expect(await cliJson(["import", archive, ...imported.target])).toMatchObject({ written: 0, unchanged: 9 });
  });

  // Requirement: files.archives, command-line.archives-with-history
  it("is exported with its history by 4 MB of texts and a page of versions at a time, and made again as it was", async () => {
    const [source, imported, copied] = [newMemory(recording), newMemory(recording), newMemory(recording)];
    for (let index = 0; index < 5; index += 1)
      for (const text of ["a", "b"]) await source.memory.write(`/${index}`, `${index}${text}`.repeat(950_000));
    const archive = newPath();
    const versionReplies: Reply[] = [];
    const replies = await repliesTo(async () => {
      versionReplies.push(
        ...(await repliesTo(() => cliJson(["export", archive, "--history", ...source.target]), "memories_versions")),
      );
    });
    // Once to be written, and once to be held against the versions.
    expect(
      replies.filter(({ nreturned }) => nreturned > 1).map(({ nreturned, docsExamined }) => [nreturned, docsExamined]),
    ).toEqual([
      [6, 0],
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
    expect(replies.filter(({ responseLength }) => responseLength > 1_000_000).length).toBe(6);
    expect(versionReplies.map(({ nreturned, docsExamined }) => [nreturned, docsExamined])).toEqual([
      [10, 10],
      [4, 4],
      [4, 4],
      [2, 2],
    ]);
    const inserts = await repliesTo(() => cliJson(["import", archive, ...imported.target]), "memories_files", [
      "insert",
    ]);
    expect(inserts.map(({ ninserted }) => ninserted)).toEqual([2, 2, 1, 1]);
    await cliJson(["copy", "--history", ...source.target, "--to-node", copied.address.nodeId]);
    const expected = await everything(source.memory);
    for (const { memory } of [imported, copied]) expect(await everything(memory)).toEqual(expected);
    expect(await cliJson(["import", archive, ...imported.target])).toMatchObject({ written: 0, unchanged: 5 });
  });

  // Requirement: files.archives, command-line.archives-with-history
  it("comes with its history from the moment of its texts, whatever changes meanwhile", async () => {
    const { address, memory } = newMemory(recording);
    await memory.write("/changed", "1");
    await memory.append("/changed", "2");
    const open = openMemoryIn(await opened, address, { access: "read", paths: "posix" });
    await withTree(await readTreeWithHistory(open), async (tree) => {
      await memory.write("/changed", "3");
      await memory.rename("/changed", "/new");
      const ids: string[] = [];
      await checkHistory(tree, { where: "here", advice: "none" }, ({ id }) => void ids.push(id));
      expect(ids).toEqual(["2", "1"]);
    });
  });

  // Requirement: files.archives
  it("is exported as it was at one moment, whatever changes meanwhile", async () => {
    const { address, memory } = newMemory();
    for (const path of ["/changed", "/deleted", "/dir/moved", "/kept"]) await memory.write(path, "before");
    const texts = await textsOf(address, async () => {
      await memory.write("/changed", "after");
      await memory.delete("/deleted");
      await memory.rename("/dir", "/other");
      await memory.write("/new", "after");
    });
    expect(texts).toEqual([
      ["/changed", "before"],
      ["/deleted", "before"],
      ["/dir/moved", "before"],
      ["/kept", "before"],
    ]);
  });

  // Requirement: files.archives
  it("is read on where the server no longer has the moment, as long as its files stay the same", async () => {
    const { address, memory } = newMemory();
    for (const path of ["/a", "/b"]) await memory.write(path, "before");
    const unchanged = await textsOf(address, async () => {
      await memory.write("/new", "after");
      loseTheMoment();
    });
    expect(unchanged).toEqual([
      ["/a", "before"],
      ["/b", "before"],
    ]);
    for (const change of [() => memory.write("/b", "longer after"), () => memory.delete("/b")]) {
      const changed = textsOf(address, async () => {
        await change();
        loseTheMoment();
      });
      await expect(changed).rejects.toMatchObject({
        code: "ECONFLICT",
        message: expect.stringMatching(/ \/b: it was changed while the memory was read.*run the command again/),
      });
    }
  });

  it("is exported where its index of listings was lost", async () => {
    const memoriesCollection = `m ${randomUUID()}`;
    await new MongoMemoryStore({ client, dbName, layout: "files", memoriesCollection })
      .memory({ nodeId: "a" })
      .write("/b", "text");
    await db.collection(`${memoriesCollection}_files`).dropIndex("files_by_id");
    expect(
      await cliJson(["export", newPath(), ...database, "--collection", memoriesCollection, "--all"]),
    ).toMatchObject({ memories: 1, files: 1 });
  });

  it("leaves no session open, also where it failed", async () => {
    const { address, memory } = newMemory();
    await memory.write("/a", "text");
    const starts = jest.spyOn((await opened).client, "startSession");
    await textsOf(address, async () => loseTheMoment());
    await expect(textsOf(address, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    const sessions = starts.mock.results.map(({ value }) => value as ClientSession);
    expect(sessions.filter(({ snapshotEnabled }) => snapshotEnabled).map(({ hasEnded }) => hasEnded)).toEqual([
      true,
      true,
      true,
    ]);
    starts.mockRestore();
  });
});

describe.each(["document", "files"] as const)("a memory of many small files with the layout %s", (layout) => {
  const manyFiles = 4500;
  const time = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
  const collection = layout === "files" ? "memories_files" : "memories";
  const target = (nodeId: string): string[] => ["--uri", uri, "--db", dbName, "--layout", layout, "--node", nodeId];

  async function writeArchive(): Promise<string> {
    const address = { nodeId: "any" };
    const files = Array.from({ length: manyFiles }, (_, index) => {
      const content = `note ${index}`;
      const path = `/d${index % 30}/f${index}`;
      const times = { createdAt: time(1), updatedAt: time(2) };
      return { address, path, sizeBytes: content.length, sha256: hashSha256(content), ...times, content };
    });
    const lines = [{ format: "langgraph-mongo-memory", version: 1 }, { address, memory: true }, ...files];
    const file = newPath();
    const all = [...lines, { end: true, lines: lines.length + 1 }];
    await writeFile(file, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return file;
  }

  const memoryOf = (nodeId: string): Memory =>
    new MongoMemoryStore({ client, dbName, layout }).memory({ nodeId }, { paths: "posix" });

  // Requirement: command-line.imports-in-batches
  it("is imported by some commands for each 2,000 files", async () => {
    const archive = await writeArchive();
    const nodeId = randomUUID();
    const ops = ["query", "getmore", "insert", "update", "command"];
    const replies = await repliesTo(() => cliJson(["import", archive, ...target(nodeId)]), collection, ops);
    // One for each directory in which something is created, too.
    expect(replies.length).toBeLessThan(150);
    const { files } = await memoryOf(nodeId).snapshot();
    expect(files).toHaveLength(manyFiles);
    expect(
      new Set(files.map(({ createdAt, updatedAt }) => `${createdAt.toISOString()} ${updatedAt.toISOString()}`)),
    ).toEqual(new Set([`${time(1)} ${time(2)}`]));
  });

  // Requirement: command-line.goes-on
  it("is imported to the end by a second run, where the first was killed between two batches", async () => {
    const archive = await writeArchive();
    const [killed, whole] = [randomUUID(), randomUUID()];
    const child = spawnCli(["import", archive, ...target(killed)]);
    const end = ended(child);
    await until(async () => (await memoryOf(killed).list()).length > 0);
    child.kill("SIGKILL");
    await end;
    const { written, unchanged } = await cliJson(["import", archive, ...target(killed)]);
    expect(Number(unchanged)).toBeGreaterThanOrEqual(2000);
    expect(Number(written) + Number(unchanged)).toBe(manyFiles);
    await cliJson(["import", archive, ...target(whole)]);
    expect((await memoryOf(killed).snapshot()).files).toEqual((await memoryOf(whole).snapshot()).files);
  });
});

(isLong ? describe : describe.skip)("a memory of 150 MB in a process with a heap of 60 MiB", () => {
  it("is exported, imported and copied", async () => {
    const [source, imported, copied] = [newMemory(), newMemory(), newMemory()];
    const fileCount = 150;
    for (let index = 0; index < fileCount; index += 1)
      await source.memory.write(`/file${index}`, `${"x".repeat(999_990)}${index}\n`);
    const archive = newPath();
    const commands = [
      ["export", archive, ...source.target],
      ["import", archive, ...imported.target],
      ["copy", ...source.target, "--to-node", copied.address.nodeId],
    ];
    for (const command of commands)
      expect(await ended(spawnCli(command, {}, ["--max-old-space-size=60"]))).toMatchObject({ code: 0, stderr: "" });
    const expected = (await source.memory.snapshot()).files;
    for (const { memory } of [imported, copied]) expect((await memory.snapshot()).files).toEqual(expected);
  });
});
