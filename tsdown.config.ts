import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    claude: "src/claude.ts",
    journal: "src/journal.ts",
    middleware: "src/middleware.ts",
    testing: "src/testing/index.ts",
  },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "node",
  fixedExtension: false,
  dts: true,
  clean: true,
  deps: { skipNodeModulesBundle: true },
});
