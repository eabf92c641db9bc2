import { describe, expect, it } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasEnded, ownIdentity } from "../../../../src/backends/directory/process-identity.js";
import { openFolder } from "../../../../src/backends/directory/open-directory-memory.js";
import { refuses } from "../../../../src/testing/memory-case.js";
import { folderWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();
const work = ".langgraph-mongo-memory";
const crashed = "01234567-89ab-cdef-0123-456789abcdef";
const other = "76543210-89ab-cdef-0123-456789abcdef";
const held = "EIO: other processes kept the memory locked for too long; nothing was changed";

/** The number of a process that is no more. */
const endedPid = spawnSync(process.execPath, ["--version"]).pid;
const self = ownIdentity();

/** Puts a lock into a folder, as its holder left it so long ago. */
function leaveLock(dir: string, text: string, ageMs = 0, name = "lock"): void {
  mkdirSync(join(dir, work), { recursive: true });
  writeFileSync(join(dir, work, name), text);
  const time = new Date(Date.now() - ageMs);
  utimesSync(join(dir, work, name), time, time);
}

const append = (dir: string, lockTimeoutMs = 50): Promise<void> =>
  openFolder({ dir }, lockTimeoutMs).append("/file", "text");

describe("a lock that was not refreshed for long", () => {
  // Requirement: directory.leftovers
  it.each([
    ["of another machine", JSON.stringify({ id: crashed, place: "elsewhere", pid: 1, started: "1" })],
    ["of a system that does not tell processes apart", JSON.stringify({ id: crashed })],
    ["that was cut short by a crash", ""],
    ["that is none of ours", "x".repeat(5000)],
  ])("%s is taken over", async (_, text) => {
    const dir = folderWith(folder);
    leaveLock(dir, text, 60_000);
    await append(dir);
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
  });

  // Requirement: directory.leftovers
  it("is taken over where its time is in the future, as a clock that was wrong leaves it", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashed }), -60_000);
    await append(dir);
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
  });

  it("is waited for where the clock of its machine may be ahead", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashed }), -3000);
    await refuses(append(dir), "EIO", held);
  });

  // Requirement: directory.leftovers
  it("is removed where it is an empty directory, and refused with what to do where something is in it", async () => {
    const dir = folderWith(folder);
    const lock = join(dir, work, "lock");
    mkdirSync(join(lock, "inside"), { recursive: true });
    utimesSync(lock, new Date(0), new Date(0));
    await refuses(
      append(dir),
      "EIO",
      "EIO: .langgraph-mongo-memory/lock is a directory with something in it, and no lock of this package; delete it",
    );
    expect(readdirSync(join(dir, work)).filter((name) => name.startsWith("taken"))).toEqual([]);
    rmdirSync(join(lock, "inside"));
    utimesSync(lock, new Date(0), new Date(0));
    await append(dir);
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
  });

  it("is taken over where the process that was taking it over is gone, too", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashed }), 60_000);
    leaveLock(dir, JSON.stringify({ id: other }), 60_000, `taken-${crashed}`);
    await append(dir);
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
  });

  it("is left to the process that is taking it over", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashed }), 60_000);
    leaveLock(dir, JSON.stringify({ id: other }), 0, `taken-${crashed}`);
    await refuses(append(dir), "EIO", held);
    expect(readFileSync(join(dir, work, "lock"), "utf8")).toContain(crashed);
  });
});

const whereProcessesAreKnown = self === null ? describe.skip : describe;

whereProcessesAreKnown("the lock of a process that has ended", () => {
  // Requirement: directory.ended-holder
  it("is taken over at once", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashed, ...self, pid: endedPid }));
    await append(dir);
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
  });

  // Requirement: directory.ended-holder
  it("is known though another process has its number now", async () => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashed, ...self, started: "1" }));
    await append(dir);
    expect(statSync(join(dir, "file")).size).toBe(4);
  });

  // Requirement: directory.ended-holder
  it.each([
    [
      "on another machine or in another container, where the number is another's",
      { ...self, place: "elsewhere", pid: endedPid },
    ],
    ["or is this one", { ...self }],
    ["by a number that is none", { ...self, pid: 0 }],
  ])("is waited for where the process may be alive: %s", async (_, identity) => {
    const dir = folderWith(folder);
    leaveLock(dir, JSON.stringify({ id: crashed, ...identity }));
    await refuses(append(dir), "EIO", held);
  });

  it("a process that lives, of another user or not, has not ended", () => {
    expect(self !== null && hasEnded({ ...self, pid: process.ppid, started: "" })).toBe(true);
    expect(self !== null && hasEnded(self)).toBe(false);
  });
});
