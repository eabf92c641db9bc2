import { readFileSync } from "node:fs";

/** A fault of the sources that tests should see. */
export interface Mutation {
  number: number;
  room: string;
  fault: string;
  file: string;
  before: string;
  after: string;
  /** Arguments of Jest. */
  tests: string[];
}

/** A fault begins with what is wrong. Its lines with "-" become those with "+", and the last line names the tests. */
export function readMutations(): Mutation[] {
  const found: Omit<Mutation, "number">[] = [];
  let room = "";
  for (const block of readFileSync("tools/mutations/mutations.txt", "utf8").split(/\n{2,}/)) {
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

/** Returns the text of the file with the fault. @throws Error if the text is not there exactly once */
export function makeFault({ number, file, before, after }: Mutation): string {
  const parts = readFileSync(file, "utf8").split(before);
  if (before === "" || parts.length !== 2)
    throw new Error(`mutation ${number}: its text must be in ${file} exactly once (found ${parts.length - 1} times)`);
  return parts.join(after);
}
