import { afterEach, expect, it } from "@jest/globals";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { compiled } from "../../helpers/compiled-sources.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const worker = compiled("__tests__/helpers/folder-worker.ts");
const folder = testFolder();
let child: ChildProcessByStdio<null, Readable, null>;

afterEach(() => void child.kill("SIGKILL"));

it.each(["busy", "waits"])("a process that has changed a folder, and %s, ends at SIGTERM", async (act) => {
  child = spawn(process.execPath, [worker, folderWith(folder), act], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const closed = once(child, "close");
  child.kill("SIGTERM");
  expect(await closed).toEqual([null, "SIGTERM"]);
});
