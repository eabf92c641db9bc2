import { readFile } from "node:fs/promises";

/** A fenced block of the README's section "Quick start". */
export interface QuickStartBlock {
  kind: "sh" | "mjs" | "text";
  code: string;
}

/** A program to save, and the file to save it as. */
export interface QuickStartProgram {
  file: string;
  code: string;
}

/**
 * Returns the blocks in the order of the page: commands to run, and what the last one prints. The two programs are
 * apart: one is in the section, the other at the top of the page.
 */
export async function quickStart(): Promise<{ blocks: QuickStartBlock[]; programs: QuickStartProgram[] }> {
  const readme = await readFile("README.md", "utf8");
  const section = /^## Quick start\n([^]*?)(?=^## )/m.exec(readme)?.[1] ?? "";
  const blocks = Array.from(
    section.matchAll(/^```(sh|mjs|text)\n([^]*?)^```$/gm),
    ([, kind = "", code = ""]) => ({ kind, code }) as QuickStartBlock,
  );
  const files = Array.from(section.matchAll(/\b[Ss]ave [^`]*`([\w-]+\.mjs)`/g), ([, file = ""]) => file);
  const [atTop] = /(?<=^```ts\n)[^]*?(?=^```$)/m.exec(readme) ?? [];
  const codes = [...blocks.filter(({ kind }) => kind === "mjs").map(({ code }) => code), ...(atTop ? [atTop] : [])];
  if (codes.length !== 2 || files.length !== 2)
    throw new Error("README.md: its quick start does not save a program of its own and the one at the top");
  return { blocks, programs: codes.map((code, index) => ({ code, file: files[index] ?? "" })) };
}
