import { describe, expect, it } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { refuses } from "../../../helpers/memory-case.js";
import { crashedId as crashed, leaveLock, openImpatiently, workFolder as work } from "../../../helpers/left-lock.js";
import { folderWith, memoryWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();

describe("what a crash leaves behind", () => {
  it("is not seen, and the next change removes it, with the lock", async () => {
    const dir = folderWith(folder, {
      good: "text",
      [`${work}/new-${crashed}`]: "half a fi",
      [`${work}/old-${crashed}/sub/file`]: "deleted",
      [`${work}/note`]: "not ours",
    });
    leaveLock(dir, crashed, 60_000);
    const memory = openDirectoryMemory({ dir });
    expect(await memory.list()).toEqual([{ name: "good", kind: "file" }]);
    await memory.append("/good", "more");
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/good"]);
    expect(readdirSync(join(dir, work)).toSorted()).toEqual([".gitignore", "note"]);
  });

  it("later, of another process, is removed when its lock is taken over", async () => {
    const { dir, memory } = memoryWith(folder);
    await memory.append("/good", "text");
    writeFileSync(join(dir, work, `new-${crashed}`), "half a fi");
    leaveLock(dir, crashed, 60_000);
    await memory.append("/good", "more");
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
  });
});

describe("the lock", () => {
  it("of a living process is waited for, and the change is EIO in the end", async () => {
    const dir = folderWith(folder, { good: "text" });
    leaveLock(dir, crashed, -4000);
    const memory = openImpatiently(dir);
    for (const call of [() => memory.append("/good", "x"), () => memory.snapshot(), () => memory.delete("/good")]) {
      await refuses(call(), "EIO", "EIO: other processes kept the memory locked for too long; nothing was changed");
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
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
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
  expect(existsSync(join(dir, work))).toBe(true);
});

it("a note may be named as others name their temporary files", async () => {
  const { memory } = memoryWith(folder, {
    "note.1234567": "1",
    "note.tmp": "2",
    "note~": "3",
    ".note.swp": "4",
    [`new-${crashed}`]: "5",
  });
  await memory.append("/note~", "x");
  expect((await memory.list()).map(({ name }) => name)).toEqual([
    ".note.swp",
    `new-${crashed}`,
    "note.1234567",
    "note.tmp",
    "note~",
  ]);
});
