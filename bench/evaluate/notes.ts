import { readFile } from "node:fs/promises";
import type { Conversation, Said } from "../measuring/conversations.js";

/** Files of notes, with questions about their lines. */
export interface Notes extends Conversation {
  files: Record<string, string>;
}

/** A line of notes that says enough for a question. */
const minWords = 8;
/** One of so many of these lines is asked for. */
const linesPerQuestion = 5;

/**
 * Reads plain notes that are at hand: the README files of the packages on which this project depends. A question is
 * each second word of a line, which answers it.
 */
export async function readNotes(): Promise<Notes> {
  const { dependencies, devDependencies } = JSON.parse(await readFile("package.json", "utf8")) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const files: Record<string, string> = {};
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const text = await readFile(`node_modules/${name}/README.md`, "utf8").catch(() => "");
    if (text !== "") files[`/packages/${name.replace("@", "")}.md`] = text;
  }
  const lines = Object.entries(files).flatMap(([path, text]) =>
    text.split("\n").flatMap((line, index): (Said & { words: string[] })[] => {
      const words = /^(?:[-*] )?\p{L}/u.test(line) ? (line.match(/\p{L}{4,}/gu) ?? []) : [];
      const said = { id: `${path}:${index}`, role: "user" as const, name: undefined, text: line, words };
      return words.length < minWords ? [] : [said];
    }),
  );
  const asked = lines.filter((_, index) => index % linesPerQuestion === 0);
  return {
    files,
    parts: [{ name: "notes", at: new Date(0), date: "", messages: asked }],
    questions: asked.map(({ id, words }) => ({
      text: words.filter((_, index) => index % 2 === 0).join(" "),
      evidence: [id],
      bySimilarity: [],
    })),
  };
}
