import { randomUUID } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmodSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, type MemorySnapshot, MongoMemoryStore, openMemory } from "../../../src/index.js";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { type ArchiveLine, archiveOf } from "../../helpers/archives.js";
import fc from "../../helpers/fast-check.js";
import { hostileNames } from "../../helpers/hostile-names.js";
import { hashSha256 } from "../../helpers/sha256.js";
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
const paths = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
const contents = fc.oneof(
  fc.constantFrom("", "\n", "a\r\nb", "\uFEFF", "é🧠\0\u001b[2J\u007f\u202e", "$x"),
  fc.string({ unit: "grapheme" }),
);
/** Null: an empty directory stays where the file was. */
const trees = fc.array(fc.tuple(paths, fc.option(contents)), { minLength: 1, maxLength: 12 });

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
      fc.asyncProperty(fc.array(fc.tuple(plain, fc.option(contents)), { minLength: 1, maxLength: 8 }), async (tree) => {
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

describe("an export", () => {
  it("leaves no part of a file that it could not write", async () => {
    const { memory, target } = newMemory();
    await memory.write("/a", "1");
    const to = newPath();
    await writeFile(to, "mine");
    expect((await cli(["export", to, ...target])).exitCode).toBe(1);
    expect((await cli(["export", to, "--user", "nobody", "--overwrite", ...database])).exitCode).toBe(1);
    expect(await readFile(to, "utf8")).toBe("mine");
    expect((await readdir(folder)).filter((name) => name.endsWith("~part"))).toEqual([]);
  });

  it("is its owner's only, whatever the umask, and keeps the rights of a file it replaces", async () => {
    const { memory, target } = newMemory();
    await memory.write("/a", "1");
    const archive = newPath();
    const getMode = (): number => statSync(archive).mode & 0o777;
    const before = process.umask(0);
    try {
      await cliJson(["export", archive, ...target]);
      expect(getMode()).toBe(0o600);
      chmodSync(archive, 0o640);
      await cliJson(["export", archive, ...target, "--overwrite"]);
      expect(getMode()).toBe(0o640);
    } finally {
      process.umask(before);
    }
  });

  it("replaces a link, and does not write through it", async () => {
    const { memory, target } = newMemory();
    await memory.write("/a", "1");
    const elsewhere = folderWith(folder, { kept: "x" });
    const archive = newPath();
    await symlink(join(elsewhere, "kept"), archive);
    expect((await cli(["export", archive, ...target])).exitCode).toBe(1);
    await cliJson(["export", archive, ...target, "--overwrite"]);
    expect(await readFile(join(elsewhere, "kept"), "utf8")).toBe("x");
  });

  it("of a file above the limit of the command line comes back, also through a folder", async () => {
    const large = "é\0x".repeat(1_250_000);
    const [source, archive, dir] = [randomUUID(), newPath(), newPath()];
    await store.memory({ nodeId: source }, { maxFileBytes: 6_000_000 }).write("/large", large);
    await cliJson(["export", archive, ...database, "--node", source]);
    const [first, second] = [newMemory(), newMemory()];
    for (const argv of [
      [archive, ...first.target],
      [archive, "--to-dir", dir],
      ["--dir", dir, ...second.target],
    ])
      expect(await cliJson(["import", ...argv])).toMatchObject({ written: 1 });
    for (const memory of [openDirectoryMemory({ dir }), first.memory, second.memory])
      expect(hashSha256(await memory.read("/large"))).toBe(hashSha256(large));
  });
});

describe("an import", () => {
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

/* Archives that are broken or hostile. */

const at = "2026-01-01T00:00:00.000Z";
const address = { nodeId: "a", scope: "global" };
/** File `/a`, file `/dir/b`, end. */
const lines: readonly ArchiveLine[] = [
  { memory: address, path: "/a", content: "1", createdAt: at, updatedAt: at },
  { memory: address, path: "/dir/b", content: "2", createdAt: at, updatedAt: at },
  { end: true, files: 2 },
];

/** Runs an import that must be refused, and checks that nothing was written. */
async function refused(from: string, stdin?: string): Promise<string> {
  const dir = newPath();
  const { exitCode, stdout, stderr } = await cli(
    ["import", from, "--to-dir", dir],
    stdin === undefined ? {} : { stdin },
  );
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect((await openDirectoryMemory({ dir }).snapshot()).files).toEqual([]);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return stderr;
}

async function expectRefused(text: string, message: RegExp): Promise<void> {
  const stderr = await refused("-", text);
  expect(stderr).toMatch(message);
  expect(stderr.length).toBeLessThan(700);
}

/** What takes the place of an archive, so that reading it would hang or fill the memory. */
const traps: [string, (file: string) => void, RegExp][] = [
  ["a pipe", (file) => execFileSync("mkfifo", [file]), /it is not a regular file/],
  ["a link to an endless device", (file) => symlinkSync("/dev/zero", file), /it is not a regular file/],
  [
    "a link to a pipe",
    (file) => {
      execFileSync("mkfifo", [`${file}-pipe`]);
      symlinkSync(`${file}-pipe`, file);
    },
    /it is not a regular file/,
  ],
  [
    "larger than any file of a memory",
    (file) => {
      writeFileSync(file, "");
      truncateSync(file, 1_900_000_000);
    },
    /line 1: longer than 90100000 bytes/,
  ],
  [
    "not UTF-8",
    (file) => writeFileSync(file, Buffer.from([0x22, 0xff, 0x22, 0x0a])),
    /line 1: the bytes are not UTF-8/,
  ],
];

it.each(traps)("an archive that is %s is refused by import, unread", async (_, make, message) => {
  const archive = newPath();
  make(archive);
  expect(await refused(archive)).toMatch(message);
});

/** The archive with some of its lines changed, and the right number at its end. */
function changed(change: (all: [ArchiveLine, ArchiveLine, ArchiveLine]) => unknown): string {
  const all = structuredClone(lines);
  change(all as [ArchiveLine, ArchiveLine, ArchiveLine]);
  return archiveOf(all);
}

describe("an archive is refused", () => {
  it.each([
    "../a",
    "/../a",
    "/a/../../b",
    "a",
    "/a/",
    "//a",
    "/",
    "",
    "/a\0",
    "/%2e%2e/a",
    "/a\\b",
    `/${"x".repeat(300)}`,
  ])("whose path %p is none of a memory", async (path) => {
    await expectRefused(
      changed((all) => (all[0]["path"] = path)),
      /is not a path of a memory/,
    );
  });

  const faults: [string, RegExp, Parameters<typeof changed>[0]][] = [
    ["has no times", /line 1: createdAt/, (all) => (all[0]["createdAt"] = "soon")],
    ["has a lone surrogate", /line 1: content: .*lone surrogate/, (all) => (all[0]["content"] = "\ud800")],
    ["has a line of another kind", /line 2: path/, (all) => (all[1] = { other: 1 })],
    ["names a path twice", /\/a is there twice/, (all) => all.splice(1, 0, all[0])],
    ["has a file below a file", /\/a is there twice/, (all) => all.splice(1, 0, { ...all[0], path: "/a/b" })],
    ["has an address that no memory has", /line 1: .*nodeId/, (all) => (all[0]["memory"] = { nodeId: { $ne: null } })],
    ["has no address", /line 1: .*address/, (all) => delete all[0]["memory"]],
    ["has null as its address", /line 1: .*address/, (all) => (all[0]["memory"] = null)],
  ];

  it.each(faults)("that %s", async (_, message, change) => {
    await expectRefused(changed(change), message);
  });

  const brokenTexts: [string, RegExp, (all: string[]) => string][] = [
    ["empty", /it ends after line 0/, () => ""],
    ["without its last line", /ends after line 2, before its last line/, (all) => `${all.slice(0, -1).join("\n")}\n`],
    ["ending inside a line", /line 2: it is not a JSON object/, (all) => all.join("\n").slice(0, -60)],
    ["with a line missing", /line 2: lines before it are missing/, (all) => `${all.toSpliced(0, 1).join("\n")}\n`],
    ["with something after its end", /line 4: there is more/, (all) => `${[...all, "{}"].join("\n")}\n`],
    ["twice in one file", /line 4: there is more/, (all) => `${[...all, ...all].join("\n")}\n`],
    ["with a line that is no JSON", /line 2: it is not a JSON object/, (all) => `${all.with(1, "{").join("\n")}\n`],
    ["with a line that is a list", /line 2: it is not a JSON object/, (all) => `${all.with(1, "[1]").join("\n")}\n`],
    ["with a line that is null", /line 2: it is not a JSON object/, (all) => `${all.with(1, "null").join("\n")}\n`],
  ];

  it.each(brokenTexts)("%s", async (_, message, change) => {
    await expectRefused(change(archiveOf(lines).trimEnd().split("\n")), message);
  });

  it("at every byte that is cut off", async () => {
    const bytes = Buffer.from(archiveOf(lines));
    // The last newline may be missing.
    for (let index = 0; index < bytes.length - 1; index += 13) await refused("-", bytes.subarray(0, index).toString());
  });

  it("with a line longer than any file of a memory", async () => {
    async function* endlessLine(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${JSON.stringify(lines[0])}\n`);
      const piece = Buffer.alloc(1_000_000, "x");
      for (let index = 0; index < 91; index += 1) yield piece;
    }
    expect(await cli(["import", "-", "--to-dir", newPath()], { stdin: endlessLine() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("line 2: longer than 90100000 bytes"),
    });
  });

  const withLine = (line: string): string => `${JSON.stringify(lines[0])}\n${line}\n`;
  const many = (element: string): string => Array.from({ length: 300_000 }, () => element).join();
  const excesses: [string, RegExp, () => string][] = [
    ["levels", /line 2: it has more than 10 levels/, () => withLine(`{"memory":${"[".repeat(1_000_000)}`)],
    ["keys", /line 2: it has more than 100 (?:keys|values)/, () => withLine(`{${many('"a":1')}}`)],
    ["values", /line 2: it has more than 100 values/, () => withLine(`{"memory":[${"0,".repeat(1_500_000)}0]}`)],
    [
      "letters in a path",
      /line 2: path: it is not a path of a memory/,
      () => withLine(JSON.stringify({ ...lines[0], path: `/${"y".repeat(1_000_000)}` })),
    ],
  ];

  it.each(excesses)("that has too many %s, in one short sentence", async (_, message, make) => {
    await expectRefused(make(), message);
  });

  it("at its first fault, and reads no further", async () => {
    const pieceBytes = 65_536;
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${JSON.stringify(lines[0])}\n`);
      for (; read < 1000; read += 1) yield Buffer.alloc(pieceBytes, "{}\n");
    }
    const { exitCode, stderr } = await cli(["import", "-", "--to-dir", newPath()], { stdin: endless() });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("standard input: line 2: ")]);
    expect(read).toBeLessThanOrEqual(1);
  });
});
