import { createAiMemory } from "langgraph-mongo-memory/ai-sdk";
import { openMemoryOver } from "langgraph-mongo-memory/backend";
import { createClaudeMemoryTool } from "langgraph-mongo-memory/claude";
import { openDirectoryMemory } from "langgraph-mongo-memory/directory";
import { createJournalTools } from "langgraph-mongo-memory/journal";
import { learn } from "langgraph-mongo-memory/learn";
import { moveIn } from "langgraph-mongo-memory/move-in";
import { createMemoryPage } from "langgraph-mongo-memory/page";
import { createRecordTools } from "langgraph-mongo-memory/records";
import { defineMemorySuite } from "langgraph-mongo-memory/testing";

/** Entries of the package that need no optional peer. */
export const entries = {
  createAiMemory,
  openMemoryOver,
  createClaudeMemoryTool,
  openDirectoryMemory,
  createJournalTools,
  learn,
  moveIn,
  createMemoryPage,
  createRecordTools,
  defineMemorySuite,
};
