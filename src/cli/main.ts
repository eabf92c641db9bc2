#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import process, { argv, env, stderr, stdin, stdout } from "node:process";
import { packageVersion } from "../core/values/package-version.js";
import { exitCodes } from "./exit-codes.js";
import { runCli } from "./program.js";
import type { Pager } from "./terminal/io.js";
import { openBrowser } from "./terminal/open-browser.js";
import { spawnPager } from "./terminal/spawn-pager.js";

/*
 * The only file that touches the process. Signals end it as they always do, so that a search can be stopped too; no
 * command leaves anything half-written.
 */

/** Calls under way have 5 seconds of these; the rest is for closing a connection to a storage that may not answer. */
const maxEndingMs = 6000;

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        setTimeout(() => process.exit(exitCodes.storage), maxEndingMs).unref();
        resolve();
      });
    }
  });
}

/**
 * While somebody reads, Ctrl-C is for the pager, which would fight with the shell for the terminal if this process
 * ended.
 */
async function openPager(command: string | null): Promise<Pager | null> {
  const pager = await spawnPager(command, env);
  if (pager === null) return null;
  const stay = (): void => undefined;
  process.on("SIGINT", stay);
  return { stream: pager.stream, close: () => pager.close().finally(() => process.off("SIGINT", stay)) };
}

/** Seen from `dist`, where the build puts this program. */
const examplesFolder = fileURLToPath(new URL("../examples", import.meta.url));

/** What is left to do by then is of nobody: connections to a storage that does not answer. */
const maxIdleMs = 1000;

async function main(): Promise<void> {
  process.exitCode = await runCli(argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    version: packageVersion,
    examplesFolder,
    openPager,
    openBrowser,
    untilStopped,
  });
  setTimeout(() => process.exit(), maxIdleMs).unref();
}

void main();
