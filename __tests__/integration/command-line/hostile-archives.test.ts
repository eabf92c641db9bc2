import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { openDirectoryMemory } from "../../../src/backends/directory/open-directory-memory.js";
import { cli } from "../../helpers/run-cli.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

let lines: string[] = [];

beforeAll(async () => {
  const dir = newPath();
  const memory = openDirectoryMemory({ dir, paths: "posix" });
  await memory.write("/a", "1");
  await memory.write("/dir/b", "2");
  const { stdout } = await cli(["export", "-", "--dir", dir]);
  lines = stdout.trimEnd().split("\n");
});

/** Runs an import that must be refused, and checks that nothing was written. */
async function refused(from: string, stdin?: string): Promise<string> {
  const dir = newPath();
  const { exitCode, stdout, stderr } = await cli(["import", from, "--dir", dir], stdin === undefined ? {} : { stdin });
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

type Line = Record<string, unknown>;

/** The archive with some of its lines changed. Its own file `/a` is in line 4. */
function changed(change: (all: [Line, Line, Line, Line, ...Line[]]) => unknown): string {
  const all = lines.map((line) => JSON.parse(line) as Line);
  change(all as [Line, Line, Line, Line, ...Line[]]);
  return all.map((line) => `${JSON.stringify("end" in line ? { ...line, lines: all.length } : line)}\n`).join("");
}

describe("an archive is refused", () => {
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
    await expectRefused(
      changed((all) => (all[3]["path"] = path)),
      /is no path of a memory/,
    );
    await expectRefused(
      changed((all) => (all[2]["directory"] = path)),
      /is no path of a memory/,
    );
  });

  const faults: [string, RegExp, Parameters<typeof changed>[0]][] = [
    ["is of another format", /line 1: format/, ([header]) => (header["format"] = "tar")],
    ["is of a later version", /line 1: version/, ([header]) => (header["version"] = 2)],
    ["has a header with fields that nobody knows", /line 1: .*extra/, ([header]) => (header["extra"] = 1)],
    ["has fields that nobody knows", /line 4: .*extra/, (all) => (all[3]["extra"] = 1)],
    ["has a wrong hash", /line 4: sha256/, (all) => (all[3]["sha256"] = "x")],
    ["has the hash of another text", /line 4: the content is not what/, (all) => (all[3]["sha256"] = "0".repeat(64))],
    ["has another size", /line 4: the content is not what/, (all) => (all[3]["sizeBytes"] = 2)],
    [
      "has a size that no memory can hold",
      /line 4: sizeBytes: .*15000000/,
      (all) => (all[3]["sizeBytes"] = 1_900_000_000),
    ],
    ["has no times", /line 4: createdAt/, (all) => (all[3]["createdAt"] = "soon")],
    ["names a path twice", /twice/, (all) => all.splice(4, 0, all[3])],
    ["has a directory where a file is", /both a file and a directory/, (all) => (all[2]["directory"] = "/a")],
    ["has a file below a file", /below \/a, which is a file/, (all) => all.splice(4, 0, { ...all[3], path: "/a/b" })],
    ["has an address that no memory has", /address/, (all) => (all[3]["address"] = { nodeId: { $ne: null } })],
    ["has no address", /address/, (all) => delete all[3]["address"]],
  ];

  it.each(faults)("that %s", async (_, message, change) => {
    await expectRefused(changed(change), message);
  });

  const brokenTexts: [string, RegExp, (all: string[]) => string][] = [
    ["empty", /it is empty/, () => ""],
    ["without its first line", /line 1: /, ([, ...rest]) => `${rest.join("\n")}\n`],
    ["without its last line", /ends after line 4, before its last line/, (all) => `${all.slice(0, -1).join("\n")}\n`],
    ["ending inside a line", /line 5 does not end/, (all) => all.join("\n")],
    [
      "with a line missing",
      /line 4: lines are missing/,
      (all) => `${all.filter((_, index) => index !== 2).join("\n")}\n`,
    ],
    ["with something after its end", /line 6: there is more/, (all) => `${[...all, "{}"].join("\n")}\n`],
    ["with a line that is no JSON", /line 3: not JSON/, (all) => `${all.with(2, "{").join("\n")}\n`],
    ["with a line of another kind", /line 3: /, (all) => `${all.with(2, "[1]").join("\n")}\n`],
    ["with a line that is null", /line 3: /, (all) => `${all.with(2, "null").join("\n")}\n`],
    [
      "with a changed content",
      /line 4: the content is not what/,
      (all) => `${all.map((line) => line.replace('"content":"1"', '"content":"2"')).join("\n")}\n`,
    ],
    [
      "with a lone surrogate",
      /line 4: content: .*lone surrogate/,
      (all) => `${all.map((line) => line.replace('"content":"1"', '"content":"\\ud800"')).join("\n")}\n`,
    ],
  ];

  it.each(brokenTexts)("%s", async (_, message, change) => {
    const [header = "", memory = "", directory = "", a = "", b = "", end = ""] = lines;
    expect([header, directory, end].every((line) => line !== "")).toBe(true);
    expect(b).toContain('"path":"/dir/b"');
    await expectRefused(change([header, memory, directory, a, end.replace(/\d+/, "5")]), message);
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
    expect(await cli(["import", "-", "--dir", newPath()], { stdin: endless() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("line 1: not JSON"),
    });
  });

  it("with a line longer than any file of a memory", async () => {
    async function* endlessLine(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${lines[0]}\n`);
      const piece = Buffer.alloc(1_000_000, "x");
      for (let index = 0; index < 91; index += 1) yield piece;
    }
    expect(await cli(["import", "-", "--dir", newPath()], { stdin: endlessLine() })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("line 2: longer than 90100000 bytes"),
    });
  });

  /** An archive whose second line is of a memory, with more in it. */
  const withLine = (more: string): string => `${lines[0]}\n{"address":null,${more}}\n`;
  const withVersion = (more: string): string =>
    withLine(`"version":{"id":"1","at":"2026-01-01T00:00:00Z","actor":null,"sizeBytes":1,"sha256":null,${more}}`);
  const many = (element: string): string => Array.from({ length: 300_000 }, () => element).join();
  const excesses: [string, RegExp, () => string][] = [
    ["levels", /line 2: it holds more than 10 levels/, () => withLine(`"memory":${"[".repeat(1_000_000)}`)],
    ["keys", /line 2: it holds more than 100 keys/, () => withLine(many('"a":1'))],
    ["values", /line 2: it holds more than 1500000 values/, () => withLine(`"memory":[${"0,".repeat(1_500_000)}0]`)],
    [
      "objects as paths",
      /line 2: version\.directories\.added: must be a list/,
      () => withVersion(`"directories":{"added":[${many("{}")}]}`),
    ],
    [
      "objects as lengths",
      /line 2: version\.older\.kept: must be a list/,
      () => withVersion(`"older":{"start":0,"text":"","end":0,"kept":[${many("{}")}]}`),
    ],
    [
      "letters in a path",
      /yyy…" is no path of a memory/,
      () => `${withLine(`"directory":"/${"y".repeat(1_000_000)}"`)}{"end":true,"lines":3}\n`,
    ],
  ];

  // Requirement: command-line.archive-limits
  it.each(excesses)("that has too many %s, in one short sentence", async (_, message, make) => {
    const text = make();
    await expectRefused(text, message);
    expect((await refused("-", text)).length).toBeLessThan(500);
  });

  // Requirement: command-line.archive-limits
  it("whose lines of one memory do not follow one another", async () => {
    const other = { address: { nodeId: "other" }, memory: true };
    await expectRefused(
      changed((all) => all.splice(3, 0, other)),
      /line 5: it is of a memory whose other lines came before/,
    );
  });

  // Requirement: command-line.archive-limits
  it("at its first fault, and reads no further", async () => {
    const pieceBytes = 65_536;
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${lines[0]}\n`);
      for (; read < 1000; read += 1) yield Buffer.alloc(pieceBytes, "{}\n");
    }
    const { exitCode, stderr } = await cli(["import", "-", "--dir", newPath()], { stdin: endless() });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("standard input: line 2: ")]);
    expect(read).toBeLessThanOrEqual(1);
  });
});
