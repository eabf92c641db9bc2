import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { openDirectoryMemory } from "../../../src/backends/directory/open-directory-memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { cli, cliJson, type CliRun } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());
const memory = folderWith(folder, { a: "1", "dir/b": "2" });

async function exported(): Promise<string> {
  const to = newPath();
  await cliJson(["export", to, "--dir", memory]);
  return to;
}

const overwrite = (to: string): Promise<CliRun> => cli(["export", to, "--dir", memory, "--overwrite"]);

/** What takes the place of a file in an archive, so that reading it would hang, fill the memory, or lead out. */
const traps: [string, (file: string) => void][] = [
  ["a pipe", (file) => void execFileSync("mkfifo", [file])],
  ["a link to an endless device", (file) => symlinkSync("/dev/zero", file)],
  ["a link to a pipe", (file) => (execFileSync("mkfifo", [`${file}-pipe`]), symlinkSync(`${file}-pipe`, file))],
  ["a folder", (file) => mkdirSync(file)],
];

describe("an archive in which a file is", () => {
  // Requirement: command-line.hostile-archives
  it.each(traps)("%s is refused by import and export, unread", async (_, make) => {
    for (const name of ["manifest.json", "files/a"]) {
      const archive = await exported();
      rmSync(join(archive, name));
      make(join(archive, name));
      const imported = await cli(["import", archive, "--dir", newPath()]);
      expect([imported.exitCode, imported.stderr]).toEqual([
        2,
        expect.stringMatching(/it is a link|not a regular file/),
      ]);
      expect((await overwrite(archive)).exitCode).not.toBe(0);
    }
  });

  // Requirement: command-line.hostile-archives
  it("larger than any of a memory is refused before a byte of it is read", async () => {
    const archive = await exported();
    const claimed = 1_900_000_000;
    truncateSync(join(archive, "files", "a"), claimed);
    expect((await cli(["import", archive, "--dir", newPath()])).stderr).toMatch(
      /not the file that the manifest describes/,
    );
    const manifest = JSON.parse(readFileSync(join(archive, "manifest.json"), "utf8"));
    manifest.memories[0].files[0].sizeBytes = claimed;
    writeFileSync(join(archive, "manifest.json"), JSON.stringify(manifest));
    expect((await cli(["import", archive, "--dir", newPath()])).stderr).toMatch(/sizeBytes: .*15000000/);
    truncateSync(join(archive, "manifest.json"), claimed);
    expect((await cli(["import", archive, "--dir", newPath()])).stderr).toMatch(
      /manifest\.json: it has 1900000000 bytes/,
    );
  });
});

describe("export keeps its hands off a folder", () => {
  const manifestOfOthers = JSON.stringify({ name: "an extension of a browser", version: 2 });

  // Requirement: command-line.own-archives
  it.each([
    ["with a manifest and files of another program", { "manifest.json": manifestOfOthers, "files/mine": "x" }],
    ["with a manifest that is no JSON", { "manifest.json": "{", "files/mine": "x" }],
    [
      "with a file that has the name of the mark of an unfinished export",
      { "export-unfinished": "mine", "files/mine": "x" },
    ],
    ["with such a file, empty", { "export-unfinished": "", mine: "x" }],
    [
      "with a manifest of another program and a mark",
      { "manifest.json": manifestOfOthers, "export-unfinished": "Run the export again to finish it.\n" },
    ],
  ])("%s, whether told to overwrite or not", async (_, contents) => {
    const dir = folderWith(folder, contents);
    for (const argv of [[], ["--overwrite"]]) {
      expect(await cli(["export", dir, "--dir", memory, ...argv])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("holds no export"),
      });
    }
    const found = Object.fromEntries(
      Object.keys(contents).map((name) => [name, readFileSync(join(dir, name), "utf8")]),
    );
    expect(found).toEqual(contents);
  });

  // Requirement: command-line.own-archives
  it("to which a link inside an export leads", async () => {
    const elsewhere = folderWith(folder, { gone: "x" });
    const archive = await exported();
    symlinkSync(elsewhere, join(archive, "files", "link"));
    expect((await overwrite(archive)).exitCode).toBe(0);
    rmSync(join(archive, "files", "dir"), { recursive: true });
    symlinkSync(elsewhere, join(archive, "files", "dir"));
    expect(await overwrite(archive)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("files/dir: it is a link"),
    });
    expect(readdirSync(elsewhere)).toEqual(["gone"]);
  });
});

const modeOf = (...path: string[]): number => statSync(join(...path)).mode & 0o777;

// Requirement: command-line.owner-only
it("an export is its owner's only, whatever the umask, and keeps the rights of a file it replaces", async () => {
  const jsonl = `${newPath()}.jsonl`;
  const before = process.umask(0);
  try {
    const archive = await exported();
    await cliJson(["export", jsonl, "--dir", memory]);
    expect(["", "files", "files/dir"].map((name) => modeOf(archive, name))).toEqual([0o700, 0o700, 0o700]);
    expect(["manifest.json", "files/a", "files/dir/b"].map((name) => modeOf(archive, name))).toEqual([
      0o600, 0o600, 0o600,
    ]);
    expect(modeOf(jsonl)).toBe(0o600);
    chmodSync(jsonl, 0o640);
    await cliJson(["export", jsonl, "--dir", memory, "--overwrite"]);
    expect(modeOf(jsonl)).toBe(0o640);
  } finally {
    process.umask(before);
  }
});

describe("a memory whose limit for a file is above that of the command line", () => {
  const { client, uri, name: dbName } = testDatabase();
  const store = new MongoMemoryStore({ client, dbName });
  const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
  const large = "é\0x".repeat(1_250_000);
  const database = ["--uri", uri, "--db", dbName];

  // Requirement: command-line.export-and-import
  it.each(["folder", "jsonl"])("comes back from an export as %s, and from copy", async (format) => {
    const [source, target] = [randomUUID(), randomUUID()];
    await store.memory({ nodeId: source }, { maxFileBytes: 6_000_000 }).write("/large", large);
    const archive = newPath();
    await cliJson(["export", archive, "--format", format, ...database, "--node", source]);
    const dir = newPath();
    expect(await cliJson(["import", archive, ...database, "--node", target])).toMatchObject({ written: 1 });
    expect(await cliJson(["import", archive, "--dir", dir])).toMatchObject({ written: 1 });
    expect(
      await cliJson(["copy", "--dir", dir, "--to-uri", uri, "--to-db", dbName, "--to-node", `${target} again`]),
    ).toMatchObject({ written: 1 });
    const reads = [
      openDirectoryMemory({ dir }),
      ...[target, `${target} again`].map((nodeId) => store.memory({ nodeId })),
    ];
    for (const one of reads) expect(hashOf(await one.read("/large"))).toBe(hashOf(large));
  });
});
