import { describe, expect, it } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
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
import { dialectNames, dialects } from "../../src/dialects/registry.js";

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

const sourceFiles = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `src/${file.replaceAll("\\", "/")}`);

describe("the registry of the dialects", () => {
  it("is the one file that lists them", () => {
    expect(sourceFiles.filter((file) => listsDialects(readFileSync(file, "utf8")))).toEqual([
      "src/dialects/registry.ts",
    ]);
  });

  it("has every folder of dialects under its own name", () => {
    const folders = readdirSync("src/dialects", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(dialectNames.toSorted());
    expect(dialectNames.map((name) => dialects[name]().name)).toEqual(dialectNames);
  });
});

describe("the rule itself", () => {
  it.each(['["unified", "claude"]', "'journal' | 'records'", "{ unified: a, journal: b }", "`claude`, `records`"])(
    "sees a list in %s",
    (text) => {
      expect(listsDialects(text)).toBe(true);
    },
  );

  it.each([
    'dialects = ["unified"]',
    '"claude" or "claude"',
    "the dialects unified, claude and journal",
    'import "./claude/a.js"',
  ])("sees none in %s", (text) => {
    expect(listsDialects(text)).toBe(false);
  });
});

/** Whether two of the names stand there as values or keys, not as words of a sentence or parts of a path. */
function listsDialects(text: string): boolean {
  return dialectNames.filter((name) => new RegExp(`(["'\`])${name}\\1|\\b${name}:`).test(text)).length > 1;
}

/** Names that two files may declare on purpose. A re-export declares nothing, so it needs no place here. */
const allowed: readonly string[] = [];

describe("exported types and classes of src", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => join("src", file))
    .filter((file) => /\.tsx?$/.test(file));

  it("have one name a meaning: no two files declare the same", () => {
    const twice = namesDeclaredTwice(files.map((file) => [file, readFileSync(file, "utf8")]));
    expect(twice.filter(({ name }) => !allowed.includes(name))).toEqual([]);
  });

  it("would be found", () => {
    const one = 'export class Memory {}\nexport type { Other } from "./other.js";\ninterface Local {}';
    const other = "export interface Memory {}\nexport type Other = string;\nexport type Local = string;";
    expect(
      namesDeclaredTwice([
        ["src/a.ts", one],
        ["src/b.ts", other],
      ]),
    ).toEqual([{ name: "Memory", files: ["src/a.ts", "src/b.ts"] }]);
  });
});

function namesDeclaredTwice(sources: readonly [file: string, text: string][]): { name: string; files: string[] }[] {
  const filesByName = new Map<string, string[]>();
  for (const [file, text] of sources) {
    for (const name of exportedTypes(file, text)) filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  }
  const declared = Array.from(filesByName, ([name, files]) => ({ name, files }));
  return declared.filter(({ files }) => files.length > 1);
}

function exportedTypes(file: string, text: string): string[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    const isType =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isEnumDeclaration(statement);
    const isExported = isType && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported && statement.name !== undefined ? [statement.name.text] : [];
  });
}
