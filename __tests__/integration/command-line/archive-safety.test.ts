import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { MongoMemoryStore } from "../../../src/index.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());
const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName });
const database = ["--uri", uri, "--db", dbName];
const memory = [...database, "--node", "a"];

beforeAll(async () => {
  await store.memory({ nodeId: "a" }).write("/a", "1");
});

/** What takes the place of an archive, so that reading it would hang or fill the memory. */
const traps: [string, (file: string) => void][] = [
  ["a pipe", (file) => void execFileSync("mkfifo", [file])],
  ["a link to an endless device", (file) => symlinkSync("/dev/zero", file)],
  ["a link to a pipe", (file) => (execFileSync("mkfifo", [`${file}-pipe`]), symlinkSync(`${file}-pipe`, file))],
];

describe("an archive that is", () => {
  it.each(traps)("%s is refused by import, unread", async (_, make) => {
    const archive = newPath();
    make(archive);
    expect(await cli(["import", archive, "--to-dir", newPath()])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("it is not a regular file"),
    });
  });

  it("a folder is refused by import and export, which say what takes one", async () => {
    const archive = folderWith(folder, { "manifest.json": "{}", "files/a": "1" });
    const imported = await cli(["import", archive, "--to-dir", newPath()]);
    expect(imported).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--dir for a folder") });
    for (const argv of [[], ["--overwrite"]]) {
      expect(await cli(["export", archive, ...memory, ...argv])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("--to-dir for a folder"),
      });
    }
    expect(readFileSync(join(archive, "files", "a"), "utf8")).toBe("1");
  });

  it("larger than any file of a memory is refused by its first bytes", async () => {
    const archive = newPath();
    writeFileSync(archive, "");
    truncateSync(archive, 1_900_000_000);
    expect((await cli(["import", archive, "--to-dir", newPath()])).stderr).toMatch(
      /line 1: longer than 90100000 bytes/,
    );
  });
});

const getMode = (path: string): number => statSync(path).mode & 0o777;

describe("an export", () => {
  it("is its owner's only, whatever the umask, and keeps the rights of a file it replaces", async () => {
    const archive = newPath();
    const before = process.umask(0);
    try {
      await cliJson(["export", archive, ...memory]);
      expect(getMode(archive)).toBe(0o600);
      chmodSync(archive, 0o640);
      await cliJson(["export", archive, ...memory, "--overwrite"]);
      expect(getMode(archive)).toBe(0o640);
    } finally {
      process.umask(before);
    }
  });

  it("replaces a link, and does not write through it", async () => {
    const elsewhere = folderWith(folder, { kept: "x" });
    const archive = newPath();
    symlinkSync(join(elsewhere, "kept"), archive);
    expect((await cli(["export", archive, ...memory])).exitCode).toBe(1);
    await cliJson(["export", archive, ...memory, "--overwrite"]);
    expect(readdirSync(elsewhere).map((name) => readFileSync(join(elsewhere, name), "utf8"))).toEqual(["x"]);
  });
});

describe("a memory whose limit for a file is above that of the command line", () => {
  const getHash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const large = "é\0x".repeat(1_250_000);

  it("comes back from an export, also through a folder", async () => {
    const [source, target] = [randomUUID(), randomUUID()];
    await store.memory({ nodeId: source }, { maxFileBytes: 6_000_000 }).write("/large", large);
    const archive = newPath();
    await cliJson(["export", archive, ...database, "--node", source]);
    const dir = newPath();
    expect(await cliJson(["import", archive, ...database, "--node", target])).toMatchObject({ written: 1 });
    expect(await cliJson(["import", archive, "--to-dir", dir])).toMatchObject({ written: 1 });
    expect(await cliJson(["import", "--dir", dir, ...database, "--node", `${target} again`])).toMatchObject({
      written: 1,
    });
    const reads = [
      openDirectoryMemory({ dir }),
      ...[target, `${target} again`].map((nodeId) => store.memory({ nodeId })),
    ];
    for (const one of reads) expect(getHash(await one.read("/large"))).toBe(getHash(large));
  });
});
