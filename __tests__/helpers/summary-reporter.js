import { writeSync } from "node:fs";

/** Prints one line when everything else, global teardown included, has been printed. */
export default class SummaryReporter {
  #line = "";

  onRunStart() {
    process.once("exit", () => writeLine(this.#line));
  }

  onRunComplete(_contexts, results) {
    // A file that could not be loaded has no failed test of its own and must not look green.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.#line = `tests: ${results.numPassedTests} passed, ${failed} failed\n`;
    // A forgotten connection would keep the run alive for ever; it fails instead.
    setTimeout(() => {
      process.stderr.write(
        "Something is still open two minutes after the last test: find it with --detectOpenHandles.\n",
      );
      process.exit(1);
    }, 120_000).unref();
  }
}

/** Nothing asynchronous is left at exit, and a pipe whose reader lags behind answers EAGAIN. */
function writeLine(line) {
  for (;;) {
    try {
      writeSync(process.stdout.fd, line);
      return;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
