import { writeSync } from "node:fs";

/** Prints one line after all other output, including that of the global teardown. */
export default class SummaryReporter {
  #line = "";

  onRunStart() {
    process.once("exit", () => writeLine(this.#line));
  }

  onRunComplete(_contexts, results) {
    // A file that could not be loaded has no failed tests, but must not look green.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.#line = `tests: ${results.numPassedTests} passed, ${failed} failed\n`;
    // A forgotten connection would keep the run alive forever, so the run fails instead.
    setTimeout(() => {
      process.stderr.write(
        "Something is still open two minutes after the last test: find it with --detectOpenHandles.\n",
      );
      process.exit(1);
    }, 120_000).unref();
  }
}

/** Writes synchronously, because no asynchronous work runs at exit. A pipe with a slow reader answers EAGAIN. */
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
