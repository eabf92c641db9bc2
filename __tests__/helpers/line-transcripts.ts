import { describe } from "@jest/globals";
import { cli } from "./run-cli.js";
import { testTranscript } from "./transcripts.js";

/** Runs a line of a transcript, and returns what it shows. */
export type RunLine = (line: string) => Promise<string>;

/** Tests a transcript of lines, each with what it shows below it. @param open for each section */
export function testLines(name: string, open: () => RunLine | Promise<RunLine>): void {
  describe(`${name}:`, () => {
    testTranscript(name, async ([title = "", ...lines]) => {
      const run = await open();
      const shown = [title];
      for (const line of lines)
        shown.push(line, ...(await run(line)).split("\n").flatMap((each) => (each === "" ? [] : `  ${each}`)));
      return shown;
    });
  });
}

/** What the command lines of a section are about. */
export interface Scene {
  /** The options that name the memory. They are added to each command. */
  target: readonly string[];
  /** What stands for a text in the transcript: for one that is random, or long. */
  names: Readonly<Record<string, string>>;
  /** What a line such as `given a note` does. */
  given?: Readonly<Record<string, () => Promise<unknown>>>;
}

/**
 * Runs `$ ls`, on a terminal `tty$ ls`, in an environment `$ NO_COLOR=1 ls`, with an input `$ append /a < "text"`. A
 * word in quotes is JSON. Shows the standard output, then the standard error by lines that begin with `! `, then an exit
 * code that is not 0.
 */
export function runCommandLines({ target, names, given = {} }: Scene): RunLine {
  const { toReal, toShown } = createNames(names);
  return async (line) => {
    if (line.startsWith("given ")) return runStep(given, line);
    const [, prompt, typed = "", stdin] = /^(tty\$|\$) (.*?)(?: < (".*"))?$/.exec(line) ?? [];
    if (prompt === undefined) throw new Error(`a transcript has no line such as ${line}`);
    const words = splitWords(toReal(typed));
    const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
    const [command = "", ...rest] = words.slice(start);
    const { exitCode, stdout, stderr } = await cli([command, ...target, ...rest], {
      terminal: prompt === "tty$",
      env: Object.fromEntries(
        words.slice(0, start).map((word) => [word.replace(/=.*/, ""), word.replace(/^.*?=/, "")]),
      ),
      ...(stdin !== undefined && { stdin: JSON.parse(stdin) as string }),
    });
    const exit = exitCode === 0 ? [] : [`exit ${exitCode}`];
    return toShown([...toLines(stdout, ""), ...toLines(stderr, "! "), ...exit].join("\n"));
  };
}

type Step = () => Promise<unknown>;

/** Returns what a line such as `given a note` does. */
export function getStep(steps: Readonly<Record<string, Step>>, line: string): Step {
  const step = steps[line.slice("given ".length)];
  if (step === undefined) throw new Error(`nothing is known of "${line}"`);
  return step;
}

/** Does what a line such as `given a note` says. It shows nothing. */
export async function runStep(steps: Readonly<Record<string, Step>>, line: string): Promise<string> {
  await getStep(steps, line)();
  return "";
}

/**
 * Exchanges texts for their names in a transcript. The times of the test are zeros, and `ID2` is the second random id
 * that was shown.
 */
export function createNames(
  names: Readonly<Record<string, string>>,
): Record<"toReal" | "toShown", (text: string) => string> {
  const ids: string[] = [];
  const named = Object.entries(names);
  return {
    toReal: (text) =>
      named
        .reduce((all, [name, real]) => all.replaceAll(name, real), text)
        .replaceAll(/\bID(\d+)\b/g, (name, number) => ids[Number(number) - 1] ?? name),
    toShown: (text) =>
      named
        .reduce((all, [name, real]) => all.replaceAll(real, name), text)
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
          Date.now() - Date.parse(time) < 3_600_000 ? "0000-00-00T00:00:00.000Z" : time,
        )
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?= \(UTC\))/g, "0000-00-00 00:00")
        .replaceAll(/(?<="?score"?: ?)[\d.]+/g, "N")
        .replaceAll(/(?<![\da-f])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{16,})/g, (id) => {
          if (!ids.includes(id)) ids.push(id);
          return `ID${ids.indexOf(id) + 1}`;
        }),
  };
}

function splitWords(text: string): string[] {
  return Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g), ([word]) =>
    word.startsWith('"') ? (JSON.parse(word) as string) : word,
  );
}

/** Shows characters that nobody would see by their codes, an empty line by ⏎, and that the last line has no end. */
function toLines(text: string, before: string): string[] {
  if (text === "") return [];
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.map((line) =>
    line.replaceAll(/[\p{Cc}\p{Cf}]| $/gu, (hidden) => `\\u${hidden.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
  const end = text.endsWith("\n") ? "" : " [no newline]";
  return shown.map((line, index) => `${before}${line === "" ? "⏎" : line}${index < lines.length - 1 ? "" : end}`);
}
