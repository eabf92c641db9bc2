import { tsImport } from "tsx/esm/api";
import bundlePackages from "./bundled-packages.js";

// Jest loads this file outside its module system, where `.js` does not resolve to `.ts`.
export default async function globalSetup() {
  const { startSharedServers } = await tsImport("./mongo-servers.ts", import.meta.url);
  const { compileSources } = await tsImport("./compiled-sources.ts", import.meta.url);
  const [stopServers, removeCompiled] = await Promise.all([startSharedServers(), compileSources(), bundlePackages()]);
  globalThis.endings = [stopServers, removeCompiled];
}
