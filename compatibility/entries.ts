import { createClaudeMemoryTool } from "langgraph-mongo-memory/claude";
import { createJournalTools } from "langgraph-mongo-memory/journal";
import { defineMemorySuite, defineStoreSuite } from "langgraph-mongo-memory/testing";

/** Entries of the package that need no optional peer. */
export const entries = { createClaudeMemoryTool, createJournalTools, defineMemorySuite, defineStoreSuite };
