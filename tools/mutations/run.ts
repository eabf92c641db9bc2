import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runCommand } from "../run-command.js";

/*
 * Makes one fault after another in the sources, and runs the tests that should see it. So nobody removes the last test of
 * a behaviour without knowing. The faults are in `mutations.txt`, which says how to write one.
 */

interface Mutation {
  number: number;
  room: string;
  fault: string;
  file: string;
  before: string;
  after: string;
  /** Arguments of Jest. */
  tests: string[];
}

/** The part of Jest's report that is needed here. */
interface TestReport {
  numFailedTests: number;
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
}

const { values } = parseArgs({ options: { only: { type: "string" } } });
const mutations = parseMutations(readFileSync("tools/mutations/mutations.txt", "utf8"));
const selected = mutations.filter(({ number, room }) => [String(number), room, undefined].includes(values.only));
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

/** A fault begins with what is wrong. Its lines with "-" become those with "+", and the last line names the tests. */
function parseMutations(text: string): Mutation[] {
  const found: Omit<Mutation, "number">[] = [];
  let room = "";
  for (const block of text.split(/\n{2,}/)) {
    const [first = "", file = "", ...lines] = block.trim().split("\n");
    const pick = (sign: string): string[] => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(2));
    if (first.startsWith("## ")) room = first.slice(3);
    else if (room !== "") {
      const [before, after] = [pick("-").join("\n"), pick("+").join("\n")];
      found.push({ room, fault: first, file, before, after, tests: pick("?").join(" ").split(" ") });
    }
  }
  return found.map((mutation, index) => ({ number: index + 1, ...mutation }));
}

/** @throws Error if the text is not there exactly once */
function makeFault({ number, file, before, after }: Mutation): string {
  const parts = readFileSync(file, "utf8").split(before);
  if (before === "" || parts.length !== 2)
    throw new Error(`mutation ${number}: its text must be in ${file} exactly once (found ${parts.length - 1} times)`);
  return parts.join(after);
}

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
