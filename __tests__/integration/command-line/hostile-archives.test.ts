import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { type ArchiveLine, archiveOf } from "../../helpers/archives.js";
import { cli } from "../../helpers/run-cli.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

const at = "2026-01-01T00:00:00.000Z";
const memory = { nodeId: "a", scope: "global" };
/** File `/a`, file `/dir/b`, end. */
const lines: readonly ArchiveLine[] = [
  { memory, path: "/a", content: "1", createdAt: at, updatedAt: at },
  { memory, path: "/dir/b", content: "2", createdAt: at, updatedAt: at },
  { end: true, files: 2 },
];

it("an archive as export writes it is imported", async () => {
  const dir = newPath();
  expect(await cli(["import", "-", "--to-dir", dir], { stdin: archiveOf(lines) })).toMatchObject({ exitCode: 0 });
  expect((await openDirectoryMemory({ dir }).snapshot()).files).toMatchObject([
    { path: "/a", content: "1" },
    { path: "/dir/b", content: "2" },
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
    const stdin = changed(change);
    await expectRefused(stdin, message);
    const { stderr } = await cli(["import", "-", "--json", "--to-dir", newPath()], { stdin });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "EINPUT" } });
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
    for (let index = 0; index < bytes.length - 1; index += 7) await refused("-", bytes.subarray(0, index).toString());
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
    ["keys", /line 2: it has more than 100 (?:keys|values)/, () => withLine(`{${many('"a":1')}}`)],
    ["values", /line 2: it has more than 100 values/, () => withLine(`{"memory":[${"0,".repeat(1_500_000)}0]}`)],
    [
      "letters in a path",
      /line 2: path: it is not a path of a memory/,
      () => withLine(JSON.stringify({ ...lines[0], path: `/${"y".repeat(1_000_000)}` })),
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
