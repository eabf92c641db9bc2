import { tsImport } from "tsx/esm/api";
import compilePrograms from "./compile-programs.js";

/** Starts the shared servers, and compiles the programs that tests start. */
export default async function startServers() {
  await Promise.all([start(), compilePrograms()]);
}

async function start() {
  const { startSharedServers } = await tsImport("./mongo-servers.ts", import.meta.url);
  const end = await startSharedServers();
  globalThis.endings = [...(globalThis.endings ?? []), end];
}
