import { beforeEach, expect, it, jest } from "@jest/globals";
import { readFileSync } from "node:fs";
import * as real from "node:fs/promises";
import { join } from "node:path";
import { refuses } from "../../../helpers/memory-case.js";

/** How often the system still refuses to rename, and how often it was asked. */
let refusals = 0;
let asked = 0;
jest.unstable_mockModule("node:fs/promises", () => ({
  ...real,
  rename: async (from: string, to: string) => {
    asked += 1;
    if (asked <= refusals) throw Object.assign(new Error("EPERM: operation not permitted"), { code: "EPERM" });
    return real.rename(from, to);
  },
}));

const { openDirectoryMemory } = await import("../../../../src/backends/directory/index.js");
const { folderWith, testFolder } = await import("../../../helpers/test-folder.js");
const folder = testFolder();
const { platform } = process;

beforeEach(() => {
  asked = 0;
  Object.defineProperty(process, "platform", { value: platform });
});

it("a change on Windows waits for a reader that has the file open", async () => {
  Object.defineProperty(process, "platform", { value: "win32" });
  refusals = 2;
  const dir = folderWith(folder, { file: "old" });
  await openDirectoryMemory({ dir }).write("/file", "new");
  expect([readFileSync(join(dir, "file"), "utf8"), asked]).toEqual(["new", 3]);
});

it("a change on Windows is EIO where the file stays open, and changes nothing", async () => {
  Object.defineProperty(process, "platform", { value: "win32" });
  refusals = Infinity;
  const dir = folderWith(folder, { file: "old" });
  await refuses(openDirectoryMemory({ dir }).write("/file", "new"), "EIO", "EIO: permission denied");
  expect([readFileSync(join(dir, "file"), "utf8"), asked]).toEqual(["old", 10]);
});

it("a change on other systems takes the first refusal", async () => {
  Object.defineProperty(process, "platform", { value: "linux" });
  refusals = Infinity;
  const dir = folderWith(folder, { file: "old" });
  await refuses(openDirectoryMemory({ dir }).write("/file", "new"), "EIO", "EIO: permission denied");
  expect(asked).toBe(1);
});
