import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { type Ended, ended, spawnCli } from "../../helpers/spawn-cli.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const lines = (text: string): string[] => text.split(/\r?\n/).filter((line) => line !== "");

async function onFolder(dir: string, ...argv: string[]): Promise<Ended> {
  return ended(spawnCli([...argv, "--dir", dir]));
}

async function printed(dir: string, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await onFolder(dir, ...argv);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("the command line on a folder", () => {
  it("writes, appends, lists, finds, moves and deletes", async () => {
    const dir = folderWith(folder, { "notes/one": "first line" });
    await printed(dir, "write", "/notes/two", "other text");
    await printed(dir, "append", "/notes/one", "second line");
    expect(await printed(dir, "cat", "/notes/one")).toContain("first line\nsecond line");
    expect(readFileSync(join(dir, "notes", "two"), "utf8")).toBe("other text");
    expect(await printed(dir, "grep", "second")).toContain("/notes/one");
    await printed(dir, "mv", "/notes/two", "/moved/two");
    await printed(dir, "rm", "/notes");
    expect(lines(await printed(dir, "ls", "/moved"))).toEqual([expect.stringContaining("two")]);
    expect(await printed(dir, "tree")).not.toContain("notes");
  });

  it("takes a text with line ends of Windows from its standard input, and keeps them", async () => {
    const dir = folderWith(folder, { log: "begun" });
    const child = spawnCli(["write", "/log", "--dir", dir]);
    child.stdin.end("one\r\ntwo\r\n");
    expect(await ended(child)).toMatchObject({ code: 0 });
    expect(readFileSync(join(dir, "log"), "utf8")).toBe("one\r\ntwo\r\n");
  });

  it("exports a folder, and imports it into another", async () => {
    const dir = folderWith(folder, { "deep/er/file": "text", other: "é🧠" });
    const archive = join(folder, `${randomUUID()}.jsonl`);
    const copy = join(folder, randomUUID());
    await printed(dir, "export", archive);
    expect(await ended(spawnCli(["import", archive, "--to-dir", copy]))).toMatchObject({ code: 0 });
    expect(readFileSync(join(copy, "deep", "er", "file"), "utf8")).toBe("text");
    expect(readFileSync(join(copy, "other"), "utf8")).toBe("é🧠");
  });

  it("exits with 1 for a missing file, and with 2 for a missing folder", async () => {
    const dir = folderWith(folder, { file: "text" });
    expect(await onFolder(dir, "cat", "/missing")).toMatchObject({ code: 1, stdout: "" });
    expect(await onFolder(join(dir, "missing"), "ls")).toMatchObject({ code: 2, stdout: "" });
  });
});
