import { MemoryBackend } from "langgraph-mongo-memory/deepagents";
import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

/** Entries of the package that need a peer of their own. */
export const optionalEntries = { MemoryBackend, memoryMiddleware };
