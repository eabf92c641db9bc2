import { defineConfig } from "tsdown";

const common = {
  target: "es2022",
  platform: "node",
  fixedExtension: false,
  deps: { skipNodeModulesBundle: true },
} as const;

export default defineConfig([
  {
    ...common,
    entry: {
      index: "src/index.ts",
      claude: "src/claude.ts",
      deepagents: "src/deepagents/index.ts",
      directory: "src/directory.ts",
      journal: "src/journal.ts",
      mcp: "src/mcp/index.ts",
      middleware: "src/middleware.ts",
      records: "src/records.ts",
      testing: "src/testing/index.ts",
    },
    format: ["esm", "cjs"],
    dts: true,
    clean: true,
  },
  // A program, which nobody imports.
  { ...common, entry: { cli: "src/cli/main.ts" }, format: "esm", dts: false, clean: false },
]);
