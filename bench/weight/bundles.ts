import { build } from "esbuild";

/** What programs import of the package. */
const programs = [
  ["`MemoryError`", `export { MemoryError } from "./dist/index.js"`],
  ["`openDirectoryMemory`", `export { openDirectoryMemory } from "./dist/directory.js"`],
  ["`createClaudeMemoryTool`", `export { createClaudeMemoryTool } from "./dist/claude.js"`],
  ["`MongoMemoryStore`", `export { MongoMemoryStore } from "./dist/index.js"`],
  [
    "`MongoMemoryStore`, `MemoryNode`, `Agent`",
    `export { MongoMemoryStore, MemoryNode, Agent } from "./dist/index.js"`,
  ],
  ["all of `langgraph-mongo-memory`", `export * from "./dist/index.js"`],
] as const;

/** Bundles of a program each, minified, without other packages. The first one imports the least. */
export async function bundleSizes(): Promise<{ imported: string; sizeBytes: number }[]> {
  return Promise.all(
    programs.map(async ([imported, contents]) => {
      const stdin = { contents, resolveDir: "." };
      const result = await build({
        stdin,
        bundle: true,
        minify: true,
        format: "esm",
        platform: "node",
        packages: "external",
        write: false,
      });
      return { imported, sizeBytes: result.outputFiles[0]?.contents.length ?? 0 };
    }),
  );
}
