import { describe, expect, it } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import {
  appendSoon,
  crashedId,
  heldByOthers,
  leaveLock,
  openImpatiently,
  workFolder,
} from "../../../helpers/left-lock.js";
import { refuses } from "../../../helpers/memory-case.js";
import { folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();
const otherId = "76543210-89ab-cdef-0123-456789abcdef";

describe("a lock that was not refreshed for long", () => {
  it.each([
    ["of a process that has ended", crashedId],
    ["that was cut short by a crash", ""],
    ["that is none of ours", "x".repeat(5000)],
  ])("%s is taken over", async (_, text) => {
    const dir = folderWith(folder);
    leaveLock(dir, text, 60_000);
    await appendSoon(dir);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("is taken over where its time is in the future, as a clock that was wrong leaves it", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, -60_000);
    await appendSoon(dir);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("is waited for where the clock of its machine may be ahead", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, -3000);
    await refuses(appendSoon(dir), "EIO", heldByOthers);
  });

  it("is taken over where the process that was taking it over is gone, too", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, 60_000);
    leaveLock(dir, otherId, 60_000, `taken-${crashedId}`);
    await appendSoon(dir);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("is left to the process that is taking it over", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, crashedId, 60_000);
    leaveLock(dir, otherId, 0, `taken-${crashedId}`);
    await refuses(appendSoon(dir), "EIO", heldByOthers);
    expect(readFileSync(join(dir, workFolder, "lock"), "utf8")).toContain(crashedId);
  });
});

describe("what a crash leaves behind", () => {
  it("is not seen, and the next change removes it, with the lock", async () => {
    const dir = folderWith(folder, {
      good: "text",
      [`${workFolder}/new-${crashedId}`]: "half a fi",
      [`${workFolder}/old-${crashedId}/sub/file`]: "deleted",
      [`${workFolder}/note`]: "not ours",
    });
    leaveLock(dir, crashedId, 60_000);
    const memory = openDirectoryMemory({ dir });
    expect(await memory.list()).toEqual([{ name: "good", kind: "file" }]);
    await memory.append("/good", "more");
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/good"]);
    expect(readdirSync(join(dir, workFolder)).toSorted()).toEqual([".gitignore", "note"]);
  });

  it("later, of another process, is removed when its lock is taken over", async () => {
    const { dir, memory } = memoryWith(folder);
    await memory.append("/good", "text");
    writeFileSync(join(dir, workFolder, `new-${crashedId}`), "half a fi");
    leaveLock(dir, crashedId, 60_000);
    await memory.append("/good", "more");
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });
});

describe("the lock", () => {
  it("of a living process is waited for, and the change is EIO in the end", async () => {
    const dir = folderWith(folder, { good: "text" });
    leaveLock(dir, crashedId, -4000);
    const memory = openImpatiently(dir);
    for (const call of [() => memory.append("/good", "x"), () => memory.snapshot(), () => memory.delete("/good")]) {
      await refuses(call(), "EIO", heldByOthers);
    }
    expect(await memory.read("/good")).toBe("text");
    expect(await memory.list()).toEqual([{ name: "good", kind: "file" }]);
  });

  it("is gone after a change, whatever became of the change", async () => {
    const { dir, memory } = memoryWith(folder, { "a/b": "text" });
    await memory.append("/a/b", "x");
    await refuses(memory.append("/a", "x"), "EISDIR");
    const refusing = (): never => {
      throw new RangeError("no");
    };
    await expect(memory.edit("/a/b", refusing)).rejects.toThrow(RangeError);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("lost while the process stood still is taken again, and the change made anew on what is there then", async () => {
    const dir = folderWith(folder, { good: "text" });
    const seen: string[] = [];
    const memory = openDirectoryMemory({ dir });
    const now = Date.now;
    const change = (text: string): string => {
      seen.push(text);
      if (seen.length > 1) return `${text}!`;
      writeFileSync(join(dir, "good"), "changed by whoever had the lock meanwhile");
      Date.now = () => now() + 10_000;
      return "lost";
    };
    try {
      await memory.edit("/good", change);
    } finally {
      Date.now = now;
    }
    expect(seen).toEqual(["text", "changed by whoever had the lock meanwhile"]);
    expect(readFileSync(join(dir, "good"), "utf8")).toBe("changed by whoever had the lock meanwhile!");
  });
});

it("git sees the notes and nothing of ours", async () => {
  const dir = folderWith(folder);
  execFileSync("git", ["init", "--quiet", dir]);
  await openDirectoryMemory({ dir }).write("/notes/today", "x");
  const status = execFileSync("git", ["-C", dir, "status", "--porcelain", "--untracked-files=all"], {
    encoding: "utf8",
  });
  expect(status).toBe("?? notes/today\n");
  expect(existsSync(join(dir, workFolder))).toBe(true);
});

it("a note may be named as others name their temporary files", async () => {
  const { memory } = memoryWith(folder, {
    "note.1234567": "1",
    "note.tmp": "2",
    "note~": "3",
    ".note.swp": "4",
    [`new-${crashedId}`]: "5",
  });
  await memory.append("/note~", "x");
  expect((await memory.list()).map(({ name }) => name)).toEqual([
    ".note.swp",
    `new-${crashedId}`,
    "note.1234567",
    "note.tmp",
    "note~",
  ]);
});
