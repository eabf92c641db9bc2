import { tsImport } from "tsx/esm/api";

let compiling;

/** Compiles the programs that tests start, once for all projects of a run. */
export default function compilePrograms() {
  compiling ??= compile();
  return compiling;
}

// Jest loads this file outside its module system, in which `.js` does not resolve to `.ts`.
async function compile() {
  const { compileSources } = await tsImport("./compiled-sources.ts", import.meta.url);
  const end = await compileSources();
  globalThis.endings = [...(globalThis.endings ?? []), end];
}
