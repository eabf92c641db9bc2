import { tsImport } from "tsx/esm/api";

// Jest loads this file outside its module system, in which `.js` does not resolve to `.ts`.
export default async function globalSetup() {
  const { startSharedServers } = await tsImport("./mongo-servers.ts", import.meta.url);
  const { compileSources } = await tsImport("./compiled-sources.ts", import.meta.url);
  globalThis.endings = await Promise.all([startSharedServers(), compileSources()]);
}
