import { describe, expect, it } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasEnded, ownIdentity } from "../../../../src/backends/directory/process-identity.js";
import { refuses } from "../../../helpers/memory-case.js";
import { appendSoon, crashedId, heldByOthers, leaveLock, workFolder } from "../../../helpers/left-lock.js";
import { folderWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();
/** The number of a process that is no more. */
const endedPid = spawnSync(process.execPath, ["--version"]).pid;
const self = ownIdentity();

/* Only Linux tells enough of processes. */

describe("the lock of a process that has ended", () => {
  it("is taken over at once", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashedId, ...self, pid: endedPid }));
    await appendSoon(dir);
    expect(readdirSync(join(dir, workFolder))).toEqual([".gitignore"]);
  });

  it("is known though another process has its number now", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashedId, ...self, started: "1" }));
    await appendSoon(dir);
    expect(statSync(join(dir, "file")).size).toBe(4);
  });

  it.each([
    [
      "on another machine or in another container, where the number is another's",
      { ...self, place: "elsewhere", pid: endedPid },
    ],
    ["or is this one", { ...self }],
    ["by a number that is none", { ...self, pid: 0 }],
  ])("is waited for where the process may be alive: %s", async (_, identity) => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashedId, ...identity }));
    await refuses(appendSoon(dir), "EIO", heldByOthers);
  });

  it("a process that lives, of another user or not, has not ended", () => {
    expect(self !== null && hasEnded({ ...self, pid: process.ppid, started: "" })).toBe(true);
    expect(self !== null && hasEnded(self)).toBe(false);
  });
});
