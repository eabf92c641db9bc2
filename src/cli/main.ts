#!/usr/bin/env node
import process, { argv, env, stderr, stdin, stdout } from "node:process";
import { fileURLToPath } from "node:url";
import { packageVersion } from "../core/values/package-version.js";
import { exitCodes } from "./errors.js";
import { runCli } from "./program.js";

/*
 * The only file that uses the process. Signals end it as usual, so that a search can be stopped too. No command leaves
 * anything half-written.
 */

/**
 * Running calls have 5 seconds of this time. The rest is for closing a connection to a storage that does not answer.
 */
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

/** The path is relative to `dist`, where the build puts this program. */
const examplesFolder = fileURLToPath(new URL("../examples", import.meta.url));

/** After this time, only connections to a storage that does not answer can still be open. */
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
