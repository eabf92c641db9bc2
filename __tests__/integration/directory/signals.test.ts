import { expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { compiled } from "../../helpers/compiled-sources.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const worker = compiled("__tests__/helpers/folder-worker.ts");
const folder = testFolder();

// Requirement: directory.leaves-signals-alone
it.each(["busy", "waits"])("a process that has changed a folder, and %s, ends at SIGTERM", async (act) => {
  const child = spawn(process.execPath, [worker, folderWith(folder), act], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([null, "SIGTERM"]);
});
