import { readdirSync, readFileSync } from "node:fs";

export interface TutorialStep {
  /** Path from the folder of the project. */
  file: string;
  text: string;
  /** The program of the tutorial after this step. */
  program: string;
  /** What the page says that the program prints. */
  output: string;
}

const folder = "docs/tutorial";

/**
 * Returns the steps of the tutorial. Each part of its program begins with a comment of one word. A page replaces parts,
 * and adds new ones before the part `// End`, or at the end while there is none.
 */
export function tutorialSteps(): TutorialStep[] {
  let parts = new Map<string, string>();
  const files = readdirSync(folder).toSorted();
  return files.map((name) => {
    const file = `${folder}/${name}`;
    const text = readFileSync(file, "utf8");
    for (const [, code = ""] of text.matchAll(/^```mjs\n([^]*?)^```$/gm)) {
      const found = Array.from(code.matchAll(/^\/\/ (\w+)\n[^]*?(?=^\/\/ \w+$|$(?![^]))/gm));
      if (found.map(([part]) => part).join("") !== code) throw new Error(`${file}: code without the name of its part`);
      for (const [part, heading = ""] of found) parts = withPart(parts, heading, part.trimEnd());
    }
    const output = /^```text\n([^]*?)^```$/m.exec(text)?.[1];
    if (output === undefined) throw new Error(`${file}: no output`);
    return { file, text, program: `${[...parts.values()].join("\n\n")}\n`, output };
  });
}

function withPart(parts: ReadonlyMap<string, string>, heading: string, part: string): Map<string, string> {
  const changed = new Map(parts).set(heading, part);
  const end = changed.get("End");
  if (end === undefined || parts.has(heading)) return changed;
  changed.delete("End");
  return changed.set("End", end);
}
