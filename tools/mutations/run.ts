import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runCommand } from "../run-command.js";
import { makeFault, readMutations } from "./mutations.js";

/*
 * Makes one fault after another in the sources, and runs the tests that should see it. So nobody removes the last test of
 * a behaviour without knowing. The faults are in `mutations.txt`, which says how to write one.
 */

/** The part of Jest's report that is needed here. */
interface TestReport {
  numFailedTests: number;
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
}

const { values } = parseArgs({ options: { only: { type: "string" } } });
const selected = readMutations().filter(({ number, room }) => [String(number), room, undefined].includes(values.only));
if (selected.length === 0) throw new TypeError(`--only takes a number or a room (given ${values.only})`);
// The first run of a killed process leaves a fault behind.
const { stdout: changed } = await runCommand("git", ["status", "--porcelain", "src"]);
if (changed !== "") throw new Error(`src must have no changes, because faults are made there:\n${changed}`);
selected.forEach(makeFault);

/** Takes back the fault that is in the sources now. */
let restore = (): void => undefined;
process.on("exit", () => restore());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

let unseen = 0;
for (const mutation of selected) {
  const { number, room, fault, file } = mutation;
  const text = readFileSync(file, "utf8");
  restore = () => writeFileSync(file, text);
  writeFileSync(file, makeFault(mutation));
  const seenBy = await findFailure(mutation.tests).finally(restore);
  if (seenBy === null) unseen += 1;
  console.log(`${number} ${room}: ${fault} | ${seenBy ?? "NOT SEEN"}`);
}
console.log(`${selected.length - unseen} of ${selected.length} seen`);
process.exitCode = unseen === 0 ? 0 : 1;

/** Returns the test that sees a fault. Null if none does. @throws Error if no test has run, or a file cannot be loaded */
async function findFailure(tests: readonly string[]): Promise<string | null> {
  const flags = ["--disable-warning=ExperimentalWarning", "--experimental-vm-modules"];
  const jest = [...flags, "node_modules/jest/bin/jest.js", ...tests, "-w", "1", "--json"];
  try {
    await runCommand(process.execPath, jest);
    return null;
  } catch (error) {
    const { stdout = "" } = (error as { cause?: { stdout?: string } }).cause ?? {};
    const json = stdout.split("\n").find((line) => line.startsWith("{")) ?? "{}";
    const { numFailedTests = 0, testResults = [] } = JSON.parse(json) as Partial<TestReport>;
    const names = testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName }) => `${name.replace(/^.*__tests__./, "")}: ${fullName}`),
    );
    if (names[0] === undefined) throw error;
    return `seen by ${numFailedTests}, ${names[0]}`;
  }
}
