import { missingPackage } from "./missing-package.js";

// What Node loads of `langgraph-mongo-memory/mcp`, copied into dist: where the SDK is missing, it says what to install. Bundlers
// take `mcp.js` itself, as many refuse a top-level await; they name what is missing when they build.
const mcp = await import("./mcp.js").catch((error) => {
  throw missingPackage(error) ?? error;
});

export const { addMemoryTo, claudeDialect, createMcpServer, journalDialect, recordsDialect, serveHttp, serveStdio, unifiedDialect } = mcp;
