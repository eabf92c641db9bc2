import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { type ArchiveLine, archiveOf, linesOf } from "../../helpers/archives.js";
import { cli } from "../../helpers/run-cli.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

/** Format, memory, directory `/dir`, file `/a`, file `/dir/b`, end. */
let lines: ArchiveLine[] = [];

beforeAll(async () => {
  const dir = newPath();
  const memory = openDirectoryMemory({ dir });
  await memory.write("/a", "1");
  await memory.write("/dir/b", "2");
  const { stdout } = await cli(["export", "-", "--dir", dir]);
  lines = linesOf(stdout);
  expect(lines).toMatchObject([
    { version: 2 },
    { memory: true },
    { directory: "/dir" },
    { path: "/a" },
    {},
    { lines: 6 },
  ]);
});

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

/** An archive as a file and as the standard input. */
async function expectRefused(text: string, message: RegExp): Promise<void> {
  expect(await refused("-", text)).toMatch(message);
  const file = newPath();
  await writeFile(file, text);
  expect(await refused(file)).toMatch(message);
}

/** The archive with some of its lines changed, by somebody who computes its hash again. */
function changed(
  change: (all: [ArchiveLine, ArchiveLine, ArchiveLine, ArchiveLine, ...ArchiveLine[]]) => unknown,
): string {
  const all = structuredClone(lines);
  change(all as [ArchiveLine, ArchiveLine, ArchiveLine, ArchiveLine, ...ArchiveLine[]]);
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
      changed((all) => (all[3]["path"] = path)),
      /is not a path of a memory/,
    );
    await expectRefused(
      changed((all) => (all[2]["directory"] = path)),
      /is not a path of a memory/,
    );
  });

  const faults: [string, RegExp, Parameters<typeof changed>[0]][] = [
    ["is of another format", /line 1: format/, ([header]) => (header["format"] = "tar")],
    [
      "is of a later version",
      /line 1: version: a newer program wrote it; this one reads versions up to 2/,
      ([header]) => (header["version"] = 3),
    ],
    ["has no times", /line 4: createdAt/, (all) => (all[3]["createdAt"] = "soon")],
    ["has the hash of another text", /line 4: sha256/, (all) => (all[3]["sha256"] = "0".repeat(64))],
    ["has a lone surrogate", /line 4: content: .*lone surrogate/, (all) => (all[3]["content"] = "\ud800")],
    ["has a line of another kind", /line 3: directory/, (all) => (all[2] = { other: 1 })],
    ["names a path twice", /\/a is there twice/, (all) => all.splice(4, 0, all[3])],
    ["has a directory where a file is", /\/a is there twice/, (all) => (all[2]["directory"] = "/a")],
    ["has a file below a file", /\/a is there twice/, (all) => all.splice(4, 0, { ...all[3], path: "/a/b" })],
    ["has no memory before its files", /line 2: a memory must come first/, (all) => all.splice(1, 1)],
    ["has a memory twice", /line 6: the same memory came before/, (all) => all.splice(5, 0, all[1])],
    ["has an address that no memory has", /line 2: .*nodeId/, (all) => (all[1]["address"] = { nodeId: { $ne: null } })],
    ["has no address", /line 2: .*address/, (all) => delete all[1]["address"]],
  ];

  it.each(faults)("that %s", async (_, message, change) => {
    const stdin = changed(change);
    await expectRefused(stdin, message);
    const { stderr } = await cli(["import", "-", "--json", "--to-dir", newPath()], { stdin });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "EINPUT" } });
  });

  const brokenTexts: [string, RegExp, (all: string[]) => string][] = [
    ["empty", /it ends after line 0/, () => ""],
    ["without its first line", /line 1: format/, ([, ...rest]) => `${rest.join("\n")}\n`],
    ["without its last line", /ends after line 5, before its last line/, (all) => `${all.slice(0, -1).join("\n")}\n`],
    ["ending inside a line", /line 5: it is not a JSON object/, (all) => all.join("\n").slice(0, -120)],
    ["with a line missing", /line 5: lines before it are missing/, (all) => `${all.toSpliced(2, 1).join("\n")}\n`],
    [
      "with two lines swapped",
      /line 6: .* or were changed/,
      ([a, b, c, ...rest]) => `${[a, b, rest[0], c, ...rest.slice(1)].join("\n")}\n`,
    ],
    [
      "with a changed time",
      /line 6: .* or were changed/,
      (all) => `${all.join("\n").replace(/"createdAt":"20/, '"createdAt":"19')}\n`,
    ],
    [
      "with a changed content",
      /line 6: .* or were changed/,
      (all) => `${all.join("\n").replace('"content":"1"', '"content":"2"')}\n`,
    ],
    ["without its hash", /line 6: .* or were changed/, (all) => `${all.join("\n").replace(/,"sha256":"\w+"/, "")}\n`],
    ["with something after its end", /line 7: there is more/, (all) => `${[...all, "{}"].join("\n")}\n`],
    ["twice in one file", /line 7: there is more/, (all) => `${[...all, ...all].join("\n")}\n`],
    ["with a line that is no JSON", /line 3: it is not a JSON object/, (all) => `${all.with(2, "{").join("\n")}\n`],
    ["with a line that is a list", /line 3: it is not a JSON object/, (all) => `${all.with(2, "[1]").join("\n")}\n`],
    ["with a line that is null", /line 3: it is not a JSON object/, (all) => `${all.with(2, "null").join("\n")}\n`],
  ];

  it.each(brokenTexts)("%s", async (_, message, change) => {
    await expectRefused(change(archiveOf(lines).trimEnd().split("\n")), message);
  });

  it("at every byte that is cut off or changed", async () => {
    const bytes = Buffer.from(archiveOf(lines));
    for (let index = 0; index < bytes.length; index += 7) {
      // The last newline may be missing.
      if (index < bytes.length - 1) await refused("-", bytes.subarray(0, index).toString());
      const other = Buffer.from(bytes);
      other[index] = (other[index] ?? 0) ^ 1;
      expect((await cli(["import", "-", "--to-dir", newPath()], { stdin: other })).exitCode).toBe(2);
    }
  });

  it("that is not UTF-8", async () => {
    const file = newPath();
    await writeFile(file, Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    expect(await refused(file)).toMatch(/line 1: the bytes are not UTF-8/);
  });

  it("at once where it does not begin as one, however long it goes on", async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.from("y\n");
    }
    expect(await cli(["import", "-", "--to-dir", newPath()], { stdin: endless() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("line 1: it is not a JSON object"),
    });
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
    ["keys", /line 2: it has more than 100 keys/, () => withLine(`{${many('"a":1')}}`)],
    ["values", /line 2: it has more than 1500000 values/, () => withLine(`{"memory":[${"0,".repeat(1_500_000)}0]}`)],
    [
      "letters in a path",
      /line 3: directory: it is not a path of a memory/,
      () => withLine(`{"address":null,"memory":true}\n{"directory":"/${"y".repeat(1_000_000)}"}`),
    ],
  ];

  it.each(excesses)("that has too many %s, in one short sentence", async (_, message, make) => {
    const text = make();
    await expectRefused(text, message);
    expect((await refused("-", text)).length).toBeLessThan(500);
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
