import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
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
