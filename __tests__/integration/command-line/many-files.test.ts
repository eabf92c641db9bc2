import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { hashSha256 } from "../../helpers/sha256.js";
import { cliJson } from "../../helpers/run-cli.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { testFolder } from "../../helpers/test-folder.js";
import { until } from "../../helpers/until-answers.js";

const { client, uri, name: dbName, db } = testDatabase("replicaSet");
const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

/** How many commands the server gets for the memories meanwhile. */
async function countCommands(run: () => Promise<unknown>): Promise<number> {
  const since = new Date();
  await db.command({ profile: 2 });
  await run();
  await db.command({ profile: 0 });
  const op = { $in: ["query", "getmore", "insert", "update", "command"] };
  return db.collection("system.profile").countDocuments({ ns: `${dbName}.memories`, op, ts: { $gte: since } });
}

describe("a memory of many small files", () => {
  const manyFiles = 4500;
  const time = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
  const target = (nodeId: string): string[] => ["--uri", uri, "--db", dbName, "--node", nodeId];

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

  const memoryOf = (nodeId: string): Memory => new MongoMemoryStore({ client, dbName }).memory({ nodeId });

  it("is imported by some commands for each 2,000 files", async () => {
    const archive = await writeArchive();
    const nodeId = randomUUID();
    expect(await countCommands(() => cliJson(["import", archive, ...target(nodeId)]))).toBeLessThan(20);
    const { files } = await memoryOf(nodeId).snapshot();
    expect(files).toHaveLength(manyFiles);
    expect(
      new Set(files.map(({ createdAt, updatedAt }) => `${createdAt.toISOString()} ${updatedAt.toISOString()}`)),
    ).toEqual(new Set([`${time(1)} ${time(2)}`]));
  });

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
