import { describe, expect, it } from "@jest/globals";
import * as aiSdk from "../../src/ai-sdk/index.js";
import * as backend from "../../src/custom-backend/index.js";
import * as claude from "../../src/langchain/claude/index.js";
import * as deepagents from "../../src/deepagents/index.js";
import * as directory from "../../src/backends/directory/index.js";
import * as index from "../../src/index.js";
import * as journal from "../../src/langchain/journal/index.js";
import * as learn from "../../src/learn/index.js";
import * as mcp from "../../src/mcp/index.js";
import * as moveIn from "../../src/move-in/index.js";
import * as middleware from "../../src/middleware/index.js";
import * as page from "../../src/page/index.js";
import * as records from "../../src/langchain/records/index.js";
import * as testing from "../../src/testing/index.js";

/** What other people's code holds on to: a change here is a change for them, and belongs in the CHANGELOG. */
describe("the public surface", () => {
  it("of the package is these names", () => {
    expect(Object.keys(index).toSorted()).toEqual([
      "Agent",
      "CallModelNode",
      "MemoryConnectorNode",
      "MemoryError",
      "MemoryNode",
      "MemoryTool",
      "MongoMemoryStore",
      "buildGraph",
      "createConversationLog",
      "createMemoryPrompt",
      "graphDefinitionSchema",
      "logConversation",
      "mergeMemories",
      "mountMemories",
      "openMemory",
      "tidy",
    ]);
  });

  it("of ./middleware and ./testing is these names", () => {
    expect(Object.keys(middleware)).toEqual(["memoryMiddleware"]);
    expect(Object.keys(testing)).toEqual(["defineMemorySuite"]);
  });

  it("of ./learn is these names", () => {
    expect(Object.keys(learn).toSorted()).toEqual(["createLearnNode", "learn", "learnMiddleware"]);
  });

  it("of ./move-in is these names", () => {
    expect(Object.keys(moveIn).toSorted()).toEqual(["moveIn", "readEntries"]);
  });

  it("of ./ai-sdk is these names", () => {
    expect(Object.keys(aiSdk)).toEqual(["createAiMemory"]);
  });

  it("of ./claude is these names", () => {
    expect(Object.keys(claude).toSorted()).toEqual([
      "claudeMemoryHandlers",
      "createClaudeMemoryTool",
      "createClaudeSearchTool",
    ]);
  });

  it("of ./deepagents is these names", () => {
    expect(Object.keys(deepagents)).toEqual(["DeepAgentsBackend"]);
  });

  it("of ./records is these names", () => {
    expect(Object.keys(records)).toEqual(["createRecordTools"]);
  });

  it("of ./page is these names", () => {
    expect(Object.keys(page)).toEqual(["createMemoryPage"]);
  });

  it("of ./mcp is these names", () => {
    expect(Object.keys(mcp).toSorted()).toEqual(["addMemoryTo", "createMcpServer", "serveHttp", "serveStdio"]);
  });

  it("of ./backend is these names", () => {
    expect(Object.keys(backend).toSorted()).toEqual(["MemoryTree", "applyChange", "memoryErrors", "openMemoryOver"]);
    expect(Object.keys(backend.memoryErrors)).toEqual([
      "fileNotFound",
      "directoryNotFound",
      "pathIsDirectory",
      "pathIsFile",
      "parentIsFile",
      "alreadyExists",
      "fileTooLarge",
      "memoryFull",
    ]);
  });

  it("of ./directory is these names", () => {
    expect(Object.keys(directory)).toEqual(["openDirectoryMemory"]);
  });

  it("of ./journal is these names", () => {
    expect(Object.keys(journal)).toEqual(["createJournalTools"]);
  });

  it("recognises errors and stores of another copy of the package by their brand", () => {
    const foreignError = Object.defineProperty(new Error("x"), Symbol.for("langgraph-mongo-memory.MemoryError"), {
      value: true,
    });
    expect(index.MemoryError.isInstance(foreignError)).toBe(true);
    expect(index.MemoryError.isInstance(new Error("x"))).toBe(false);
    expect(index.MemoryError.isInstance(null)).toBe(false);
    const foreignStore = { [Symbol.for("langgraph-mongo-memory.MongoMemoryStore")]: true };
    expect(index.MongoMemoryStore.isInstance(foreignStore)).toBe(true);
    expect(index.MongoMemoryStore.isInstance({})).toBe(false);
  });
});
