import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, it } from "@jest/globals";
import type { Memory } from "../../src/index.js";

/**
 * Tests that a file of `__tests__/fixtures/transcripts` says to the letter what happens. Its sections begin with a title
 * (`## `). Their other lines are given by hand, but for those that begin with `|`, `!`, `=`, `-` or two blanks, which are
 * what came of the lines above them: answers, refusals, texts of files, and files that are gone.
 *
 * Where an answer is meant to change: `WRITE_TRANSCRIPTS=1 npm test -- <the test>`, and read the difference.
 * @param play what comes of the given lines of a section: the same lines, each with its results below it
 * @returns the titles
 */
export function testTranscript(name: string, play: (given: string[]) => Promise<string[]>): string[] {
  const file = new URL(`../fixtures/transcripts/${name}.txt`, import.meta.url);
  const parts = readFileSync(file, "utf8").split(/^(?=## )/m);
  const isSection = (part: string): boolean => part.startsWith("## ");
  const head = parts.filter((part) => !isSection(part)).join("");
  const titled = parts
    .filter(isSection)
    .map((section): [title: string, section: string] => [
      section.slice("## ".length, section.indexOf("\n")),
      section.trimEnd(),
    ]);
  const isWriting = process.env["WRITE_TRANSCRIPTS"] === "1";
  const written: string[] = [];

  it.each(titled)("%s", async (_title, section) => {
    const given = section.split("\n").filter((line) => !/^(?:[|!=-]|  |$)/.test(line));
    const played = (await play(given)).join("\n");
    written.push(`${played}\n`);
    if (!isWriting) expect(played).toBe(section);
  });

  if (isWriting) afterAll(() => writeFileSync(file, `${head}${written.join("\n")}`));
  return titled.map(([title]) => title);
}

/** Returns the JSON after a mark at the beginning of a line, or an empty object if no line has it. */
export function readMarked(given: readonly string[], mark: string): object {
  const line = given.find((each) => each.startsWith(`${mark} `)) ?? `${mark} {}`;
  return JSON.parse(line.slice(mark.length)) as object;
}

/** Writes the texts after the mark `+`. */
export async function writeGiven(memory: Memory, given: readonly string[]): Promise<void> {
  for (const [path, text] of Object.entries(readMarked(given, "+"))) await memory.write(path, String(text));
}

/** Reads the texts of a memory by path, without the journal's reservations, which hold random ids. */
export async function textsOf(memory: Memory): Promise<Record<string, string>> {
  const { files } = await memory.snapshot();
  const shown = files.filter(({ path }) => !/\/\.journal\/[0-9a-f]{20}$/.test(path));
  return Object.fromEntries(shown.map(({ path, content }) => [path, content]));
}

/** The lines that say what a call changed. */
export function changesBetween(before: Record<string, string>, after: Record<string, string>): string[] {
  return [
    ...Object.entries(after).flatMap(([path, text]) => (before[path] === text ? [] : `= ${quote({ [path]: text })}`)),
    ...Object.keys(before).flatMap((path) => (path in after ? [] : `- ${path}`)),
  ];
}

/** Returns JSON in which a reader sees what is hidden. */
export function quote(value: unknown): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replaceAll(/[\p{Cf}\u2028\u2029]/gu, (hidden) => hidden.split("").map(escape).join(""));
}
