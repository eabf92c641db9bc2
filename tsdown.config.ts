import { defineConfig } from "tsdown";
import { entrySources } from "./entries.config.js";

const common = {
  target: "es2022",
  platform: "node",
  fixedExtension: false,
  deps: { skipNodeModulesBundle: true },
} as const;

export default defineConfig([
  { ...common, entry: entrySources(), format: ["esm", "cjs"], dts: true, clean: true },
  // A program, which nobody imports.
  { ...common, entry: { cli: "src/cli/main.ts" }, format: "esm", dts: false, clean: false },
]);
