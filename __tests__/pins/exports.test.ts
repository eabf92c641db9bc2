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
  it.each<[entry: string, exports: object, names: string]>([
    [
      "the package",
      index,
      "Agent CallModelNode MemoryConnectorNode MemoryError MemoryNode MemoryTool MongoMemoryStore buildGraph " +
        "createConversationLog createMemoryPrompt graphDefinitionSchema logConversation mergeMemories mountMemories " +
        "openMemory tidy",
    ],
    ["./ai-sdk", aiSdk, "createAiMemory"],
    ["./backend", backend, "MemoryTree applyChange memoryErrors openMemoryOver"],
    [
      "./backend as memoryErrors",
      backend.memoryErrors,
      "alreadyExists directoryNotFound fileNotFound fileTooLarge memoryFull parentIsFile pathIsDirectory pathIsFile",
    ],
    ["./claude", claude, "claudeMemoryHandlers createClaudeMemoryTool createClaudeSearchTool"],
    ["./deepagents", deepagents, "DeepAgentsBackend"],
    ["./directory", directory, "openDirectoryMemory"],
    ["./journal", journal, "createJournalTools"],
    ["./learn", learn, "createLearnNode learn learnMiddleware"],
    ["./mcp", mcp, "addMemoryTo createMcpServer serveHttp serveStdio"],
    ["./middleware", middleware, "memoryMiddleware"],
    ["./move-in", moveIn, "moveIn readEntries"],
    ["./page", page, "createMemoryPage"],
    ["./records", records, "createRecordTools"],
    ["./testing", testing, "defineMemorySuite"],
  ])("of %s is its names", (_entry, exports, names) => {
    expect(Object.keys(exports).toSorted().join(" ")).toBe(names);
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
