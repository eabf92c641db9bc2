import { DeepAgentsBackend } from "langgraph-mongo-memory/deepagents";
import { createMcpServer, serveHttp } from "langgraph-mongo-memory/mcp";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

/** Entries of the package that need peers of their own. */
export const optionalEntries = { DeepAgentsBackend, createMcpServer, serveHttp, memoryMiddleware };
