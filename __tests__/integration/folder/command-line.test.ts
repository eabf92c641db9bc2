import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { archiveOf } from "../../helpers/archives.js";
import { ended, spawnCli } from "../../helpers/spawn-cli.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const newPath = (): string => join(folder, randomUUID());

describe("the command line with a folder", () => {
  it("imports the texts of a folder into another", async () => {
    const dir = folderWith(folder, { "deep/er/file": "text", other: "é🧠" });
    const copy = newPath();
    expect(await ended(spawnCli(["import", "--dir", dir, "--to-dir", copy]))).toMatchObject({
      code: 0,
      stdout: "imported 1 memory: 2 files written\n",
    });
    expect(readFileSync(join(copy, "deep", "er", "file"), "utf8")).toBe("text");
    expect(readFileSync(join(copy, "other"), "utf8")).toBe("é🧠");
  });

  it("imports an archive from its standard input, and keeps line ends of Windows", async () => {
    const copy = newPath();
    const at = "2026-01-01T00:00:00.000Z";
    const file = { memory: { nodeId: "a" }, path: "/log", content: "one\r\ntwo\r\n", createdAt: at, updatedAt: at };
    const child = spawnCli(["import", "-", "--to-dir", copy]);
    child.stdin.end(archiveOf([file, { end: true }]));
    expect(await ended(child)).toMatchObject({ code: 0 });
    expect(readFileSync(join(copy, "log"), "utf8")).toBe("one\r\ntwo\r\n");
  });

  it("exits with 1 for a file that exists with another text, and with 2 for a missing folder", async () => {
    const [dir, other] = [folderWith(folder, { file: "text" }), folderWith(folder, { file: "other" })];
    expect(await ended(spawnCli(["import", "--dir", dir, "--to-dir", other]))).toMatchObject({ code: 1, stdout: "" });
    expect(await ended(spawnCli(["import", "--dir", newPath(), "--to-dir", other]))).toMatchObject({
      code: 2,
      stdout: "",
    });
  });
});
