import { memoryMiddleware } from "langgraph-mongo-memory/middleware";

/** Entries of the package that need a peer of their own. */
export const optionalEntries = { memoryMiddleware };
