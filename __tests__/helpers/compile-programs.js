import { tsImport } from "tsx/esm/api";

/** What the tests of a folder need: the programs that they start, and no database. */
export default async function compilePrograms() {
  const { compileSources } = await tsImport("./compiled-sources.ts", import.meta.url);
  globalThis.endings = [await compileSources()];
}
