import { readFile } from "node:fs/promises";

/** A fenced block of the README's section "Quick start". */
export interface QuickStartBlock {
  kind: "sh" | "mjs" | "text";
  code: string;
  /** Of a program: the file that the text before it names in backticks, last of all. */
  file: string;
}

/** The blocks in the order of the page: commands to run, programs to save, and what the last command prints. */
export async function quickStartBlocks(): Promise<QuickStartBlock[]> {
  const section = /^## Quick start\n([^]*?)(?=^## )/m.exec(await readFile("README.md", "utf8"))?.[1] ?? "";
  const blocks = Array.from(
    section.matchAll(/([^]*?)^```(sh|mjs|text)\n([^]*?)^```$/gm),
    ([, before = "", kind = "", code = ""]) => {
      const [file = ""] = before.match(/(?<=`)[\w.-]+\.m?js(?=`)/g)?.slice(-1) ?? [];
      return { kind, code, file } as QuickStartBlock;
    },
  );
  const programs = blocks.filter(({ kind }) => kind === "mjs");
  if (programs.length !== 2 || programs.some(({ file }) => file === ""))
    throw new Error("README.md: no two programs with names in its quick start");
  return blocks;
}
