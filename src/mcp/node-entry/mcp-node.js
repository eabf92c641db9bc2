import { missingPackage } from "./missing-package.js";

// Node loads this file for `langgraph-mongo-memory/mcp`. The build copies it into dist. If the SDK is missing, it says
// what to install. Bundlers take `mcp.js` itself, because many refuse a top-level await. They name a missing package
// when they build.
const mcp = await import("./mcp.js").catch((error) => {
  throw missingPackage(error) ?? error;
});

export const { addMemoryTo, createMcpServer, serveHttp, serveStdio } = mcp;
