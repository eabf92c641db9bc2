import { readFileSync } from "node:fs";

export interface TutorialStep {
  title: string;
  /** The program of the tutorial after this step. */
  program: string;
  /** What the page says that the program prints. */
  output: string;
}

export const tutorialPage = "docs/tutorial.md";

/**
 * Returns the steps of the tutorial: the sections of its page. Each part of its program begins with a comment of one
 * word. A step replaces parts, and adds new ones before the part `// End`, or at the end while there is none.
 */
export function tutorialSteps(): TutorialStep[] {
  let parts = new Map<string, string>();
  const sections = readFileSync(tutorialPage, "utf8").split(/^## /m).slice(1);
  return sections.map((text) => {
    const [title = ""] = text.split("\n");
    for (const [, code = ""] of text.matchAll(/^```mjs\n([^]*?)^```$/gm)) {
      const found = Array.from(code.matchAll(/^\/\/ (\w+)\n[^]*?(?=^\/\/ \w+$|$(?![^]))/gm));
      if (found.map(([part]) => part).join("") !== code) throw new Error(`${title}: code without the name of its part`);
      for (const [part, heading = ""] of found) parts = withPart(parts, heading, part.trimEnd());
    }
    const output = /^```text\n([^]*?)^```$/m.exec(text)?.[1];
    if (output === undefined) throw new Error(`${title}: no output`);
    return { title, program: `${[...parts.values()].join("\n\n")}\n`, output };
  });
}

function withPart(parts: ReadonlyMap<string, string>, heading: string, part: string): Map<string, string> {
  const changed = new Map(parts).set(heading, part);
  const end = changed.get("End");
  if (end === undefined || parts.has(heading)) return changed;
  changed.delete("End");
  return changed.set("End", end);
}
