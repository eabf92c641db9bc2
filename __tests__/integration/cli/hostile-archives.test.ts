import { createHash, randomUUID } from "node:crypto";
import { cp, link, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Memory } from "../../../src/core/memory.js";
import { openDirectoryMemory } from "../../../src/backends/directory/open-directory-memory.js";
import { cli } from "../../helpers/run-cli.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

interface ManifestFile {
  path: string;
  file: string;
  sizeBytes: number;
  sha256: string;
  createdAt: string;
}

interface Manifest {
  format: string;
  version: number;
  memories: [{ address: unknown; directories: string[]; files: [ManifestFile, ...ManifestFile[]] }];
  [field: string]: unknown;
}

let source: { dir: string; jsonl: string[] };
let manifest: Manifest;

beforeAll(async () => {
  const memory = newMemory();
  await memory.memory.write("/a", "1");
  await memory.memory.write("/dir/b", "2");
  const dir = newPath();
  expect((await cli(["export", dir, "--dir", memory.dir])).exitCode).toBe(0);
  const { stdout } = await cli(["export", "-", "--dir", memory.dir]);
  source = { dir, jsonl: stdout.trimEnd().split("\n") };
  manifest = JSON.parse(await readFile(join(dir, "manifest.json"), "utf8"));
});

function newMemory(): { dir: string; memory: Memory } {
  const dir = newPath();
  return { dir, memory: openDirectoryMemory({ dir, paths: "posix" }) };
}

/** Runs an import that must be refused, and looks that nothing was written. */
async function refused(from: string, stdin?: string): Promise<string> {
  const dir = newPath();
  const { exitCode, stdout, stderr } = await cli(["import", from, "--dir", dir], stdin === undefined ? {} : { stdin });
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect((await openDirectoryMemory({ dir }).snapshot()).files).toEqual([]);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return stderr;
}

async function changedFolder(change: (copy: Manifest, dir: string) => void | Promise<void>): Promise<string> {
  const dir = newPath();
  await cp(source.dir, dir, { recursive: true });
  const copy = structuredClone(manifest);
  await change(copy, dir);
  await writeFile(join(dir, "manifest.json"), JSON.stringify(copy));
  return dir;
}

describe("a manifest is refused", () => {
  const escapes = [
    "../outside",
    "files/../../outside",
    "/etc/passwd",
    "C:\\outside",
    "c:outside",
    "files\\..\\outside",
    "files//a",
    "files/./a",
    "",
    "files/a\0",
    "files/a:stream",
  ];

  // Requirement: command-line.hostile-archives
  it.each(escapes)("whose file name %p leads out of the folder", async (file) => {
    await writeFile(join(folder, "outside"), "1");
    const dir = await changedFolder(({ memories: [{ files }] }) => void (files[0].file = file));
    expect(await refused(dir)).toMatch(/manifest\.json: \/a: the file name .* leaves the folder/);
  });

  // Requirement: command-line.hostile-archives
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
    const dir = await changedFolder(({ memories: [{ files }] }) => void (files[0].path = path));
    expect(await refused(dir)).toMatch(/manifest\.json: .* is no path of a memory/);
    const asDirectory = await changedFolder(({ memories: [{ directories }] }) => void directories.push(path));
    expect(await refused(asDirectory)).toMatch(/is no path of a memory/);
  });

  const faults: [string, RegExp, (copy: Manifest) => void][] = [
    ["is of another format", /format/, (copy) => void (copy.format = "tar")],
    ["is of a later version", /version/, (copy) => void (copy.version = 3)],
    ["has fields that nobody knows", /extra/, (copy) => void (copy["extra"] = 1)],
    ["has a wrong hash", /sha256/, ({ memories: [{ files }] }) => void (files[0].sha256 = "x")],
    [
      "has the hash of another text",
      /not the file that the manifest describes/,
      ({ memories: [{ files }] }) => void (files[0].sha256 = "0".repeat(64)),
    ],
    [
      "has another size",
      /not the file that the manifest describes/,
      ({ memories: [{ files }] }) => void (files[0].sizeBytes = 2),
    ],
    ["has no times", /createdAt/, ({ memories: [{ files }] }) => void (files[0].createdAt = "soon")],
    ["names a path twice", /twice/, ({ memories: [{ files }] }) => void files.push(files[0])],
    [
      "has a directory where a file is",
      /both a file and a directory/,
      ({ memories: [{ directories }] }) => void directories.push("/a"),
    ],
    [
      "has a file below a file",
      /below \/a, which is a file/,
      ({ memories: [{ files }] }) => void files.push({ ...files[0], path: "/a/b" }),
    ],
    [
      "has an address that no memory has",
      /address/,
      ({ memories: [memory] }) => void (memory.address = { nodeId: { $ne: null } }),
    ],
    ["has no address", /address/, ({ memories: [memory] }) => void (memory.address = undefined)],
  ];

  it.each(faults)("that %s", async (_, message, change) => {
    expect(await refused(await changedFolder(change))).toMatch(message);
  });

  it("that is not JSON, or not UTF-8", async () => {
    for (const text of ["{", "[]", "null", Buffer.from([0x22, 0xff, 0x22])]) {
      const dir = await changedFolder(() => undefined);
      await writeFile(join(dir, "manifest.json"), text);
      expect(await refused(dir)).toContain("manifest.json: ");
    }
  });
});

describe("a folder is refused", () => {
  it("where a file in it is missing, was changed, is no text, a folder or a link", async () => {
    const changes: [RegExp, (file: string) => Promise<void>][] = [
      [/no such file/, (file) => rm(file)],
      [/not the file that the manifest describes/, (file) => writeFile(file, "2")],
      [/not the file that the manifest describes/, (file) => writeFile(file, "11")],
      [
        /not a regular file/,
        (file) =>
          rm(file)
            .then(() => mkdir(file))
            .then(() => undefined),
      ],
      [/it is a link/, (file) => rename(file, `${file}-real`).then(() => symlink(`${file}-real`, file))],
    ];
    for (const [message, change] of changes)
      expect(await refused(await changedFolder((_, dir) => change(join(dir, "files", "a"))))).toMatch(message);
    const bytes = Buffer.from([0xff]);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const noText = await changedFolder(({ memories: [{ files }] }, dir) => {
      Object.assign(files[0], { sha256, sizeBytes: 1 });
      return writeFile(join(dir, "files", "a"), bytes);
    });
    expect(await refused(noText)).toMatch(/not UTF-8/);
  });

  // Requirement: command-line.hostile-archives
  it("where a folder in it is a link", async () => {
    const dir = await changedFolder(async (_, copy) => {
      await rename(join(copy, "files", "dir"), join(copy, "elsewhere"));
      await symlink(join(copy, "elsewhere"), join(copy, "files", "dir"));
    });
    expect(await refused(dir)).toMatch(/files\/dir: it is a link/);
  });

  it("but not for a hard link, or files beside those of the manifest", async () => {
    const dir = await changedFolder(async (_, copy) => {
      await link(join(copy, "files", "a"), join(copy, "files", "hard"));
      await writeFile(join(copy, "README"), "mine");
    });
    expect((await cli(["import", dir, "--dir", newPath()])).exitCode).toBe(0);
  });
});

describe("JSONL is refused", () => {
  const faults: [string, RegExp, (lines: string[]) => string][] = [
    ["empty", /it is empty/, () => ""],
    ["without its first line", /line 1: /, ([, ...rest]) => `${rest.join("\n")}\n`],
    [
      "without its last line",
      /ends after line 4, before its last line/,
      (lines) => `${lines.slice(0, -1).join("\n")}\n`,
    ],
    ["ending inside a line", /line 5 does not end/, (lines) => lines.join("\n")],
    [
      "with a line missing",
      /line 4: lines are missing/,
      (lines) => `${lines.filter((_, index) => index !== 2).join("\n")}\n`,
    ],
    ["with something after its end", /line 6: there is more/, (lines) => `${[...lines, "{}"].join("\n")}\n`],
    ["with a line that is no JSON", /line 3: not JSON/, (lines) => `${lines.with(2, "{").join("\n")}\n`],
    ["with a line of another kind", /line 3: /, (lines) => `${lines.with(2, "[1]").join("\n")}\n`],
    [
      "with a changed content",
      /line 4: the content is not what/,
      (lines) => `${lines.map((line) => line.replace('"content":"1"', '"content":"2"')).join("\n")}\n`,
    ],
    [
      "with a lone surrogate",
      /line 4: content: .*lone surrogate/,
      (lines) => `${lines.map((line) => line.replace('"content":"1"', '"content":"\\ud800"')).join("\n")}\n`,
    ],
    [
      "with a path that leads upwards",
      /is no path of a memory/,
      (lines) => `${lines.map((line) => line.replace('"/a"', '"/../a"')).join("\n")}\n`,
    ],
    [
      "with an unknown field",
      /line 4: .*extra/i,
      (lines) => `${lines.map((line) => line.replace('"content":"1"', '"content":"1","extra":1')).join("\n")}\n`,
    ],
  ];

  it.each(faults)("%s", async (_, message, change) => {
    const [header = "", memory = "", directory = "", a = "", b = "", end = ""] = source.jsonl;
    expect([header, directory, end].every((line) => line !== "")).toBe(true);
    const lines = [header, memory, directory, a, end.replace(/\d+/, "5")];
    expect(b).toContain('"path":"/dir/b"');
    const text = change(lines);
    expect(await refused("-", text)).toMatch(message);
    const file = newPath();
    await writeFile(file, text);
    expect(await refused(file)).toMatch(message);
  });

  it("at once where it does not begin as one, however long it goes on", async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.from("y\n");
    }
    expect(await cli(["import", "-", "--dir", newPath()], { stdin: endless() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("line 1: not JSON"),
    });
  });

  it("with a line longer than any file of a memory", async () => {
    async function* lines(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${source.jsonl[0]}\n`);
      const piece = Buffer.alloc(1_000_000, "x");
      for (let index = 0; index < 91; index += 1) yield piece;
    }
    expect(await cli(["import", "-", "--dir", newPath()], { stdin: lines() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("line 2: longer than 90100000 bytes"),
    });
  });
});
