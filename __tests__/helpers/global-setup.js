import { tsImport } from "tsx/esm/api";

// Jest loads this file outside its module system, where `.js` does not resolve to `.ts`.
export default async function globalSetup() {
  const { startSharedServers } = await tsImport("./mongo-servers.ts", import.meta.url);
  globalThis.stopSharedServers = await startSharedServers();
}
