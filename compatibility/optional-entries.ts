import { MemoryBackend } from "langgraph-mongo-memory/deepagents";
import { createMcpServer, serveHttp } from "langgraph-mongo-memory/mcp";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

/** Entries of the package that need peers of their own. */
export const optionalEntries = { MemoryBackend, createMcpServer, serveHttp, memoryMiddleware };
