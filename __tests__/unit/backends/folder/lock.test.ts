import { describe, expect, it } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { appendSoon, crashedId, heldByOthers, leaveLock, workFolder } from "../../../helpers/left-lock.js";
import { refuses } from "../../../helpers/memory-case.js";
import { folderWith, testFolder } from "../../../helpers/test-folder.js";

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
