#!/usr/bin/env node
import process, { argv, env, stderr, stdin, stdout } from "node:process";
import { fileURLToPath } from "node:url";
import { packageVersion } from "../core/values/package-version.js";
import { exitCodes } from "./exit-codes.js";
import { runCli } from "./program.js";

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

/** Seen from `dist`, where the build puts this program. */
const examplesFolder = fileURLToPath(new URL("../examples", import.meta.url));

/** After that, only connections to a storage that does not answer are left open. */
const maxIdleMs = 1000;

async function main(): Promise<void> {
  process.exitCode = await runCli(argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    version: packageVersion,
    examplesFolder,
    untilStopped,
  });
  setTimeout(() => process.exit(), maxIdleMs).unref();
}

void main();
