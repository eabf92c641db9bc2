import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { sourceImports, type SourceImport } from "../helpers/source-imports.js";

/**
 * The modules of `src`, from the ground up, and which others each may import. Type-only imports count. The longest name
 * that fits a file is its module.
 */
const mayImport: Record<string, string[]> = {
  core: ["core/display/hidden-characters", "core/search/words", "core/search/irregular-forms"],
  "custom-backend": ["core"],
  backends: ["core"],
  "langchain/langgraph-internals": [],
  "langchain/read-in-run": ["core", "langchain/langgraph-internals"],
  "mongodb/driver": ["core"],
  "mongodb/operations": ["core"],
  "mongodb/history": ["core", "mongodb/driver"],
  "mongodb/items": ["core", "mongodb/driver", "mongodb/operations"],
  "mongodb/embeddings": ["core", "mongodb/driver"],
  "mongodb/search": [
    "core",
    "core/search/words",
    "mongodb/driver",
    "mongodb/operations",
    "mongodb/items",
    "mongodb/embeddings",
  ],
  "mongodb/proposals": ["core", "mongodb/driver"],
  "mongodb/memories": [
    "core",
    "mongodb/driver",
    "mongodb/operations",
    "mongodb/history",
    "mongodb/proposals",
    "mongodb/embeddings",
  ],
  "mongodb/store": [
    "core",
    "mongodb/driver",
    "mongodb/embeddings",
    "mongodb/operations",
    "mongodb/items",
    "mongodb/search",
    "mongodb/memories",
    "langchain/read-in-run",
  ],
  "mongodb/admin": ["core", "mongodb/driver", "mongodb/items", "mongodb/memories"],
  "open-memory": ["core", "backends", "mongodb/store", "langchain/langgraph-internals"],
  dialects: ["core", "core/values/shared-ends"],
  langchain: ["core", "dialects", "langchain/langgraph-internals"],
  conversation: ["core", "langchain", "prompt"],
  prompt: ["core", "core/display/count-text"],
  graph: [
    "core",
    "dialects",
    "langchain/langgraph-internals",
    "langchain/read-in-run",
    "langchain",
    "conversation",
    "prompt",
    "open-memory",
  ],
  template: ["core", "dialects", "langchain", "conversation", "prompt", "graph"],
  middleware: ["core", "conversation", "prompt", "graph"],
  "ai-sdk": ["core", "dialects", "langchain", "conversation", "prompt", "graph"],
  learn: ["core", "core/values/shared-ends", "langchain", "conversation", "prompt", "graph"],
  deepagents: ["core", "dialects", "langchain"],
  mcp: ["core", "dialects", "langchain"],
  "move-in": ["core"],
  testing: ["core"],
  tidy: ["core", "core/display/hidden-characters"],
  "move-out": ["core"],
  "page/token-header": [],
  "core/display/count-text": [],
  "core/values/shared-ends": [],
  "core/display/hidden-characters": [],
  "core/search/words": ["core/search/irregular-forms"],
  "core/search/irregular-forms": [],
  page: ["core", "prompt", "mongodb/memories", "mongodb/store", "page/token-header", "tidy"],
  "page/answers": ["page"],
  "conversation/read-log": ["core"],
  "page/client": [
    "conversation/read-log",
    "core/display/count-text",
    "core/display/hidden-characters",
    "core/search/words",
    "core/values/shared-ends",
    "page/answers",
    "page/token-header",
  ],
  cli: [
    "core",
    "core/display/count-text",
    "backends",
    "mongodb/store",
    "mongodb/admin",
    "dialects",
    "prompt",
    "page",
    "mcp",
    "tidy",
    "move-in",
    "move-out",
    "learn",
  ],
  index: [
    "core",
    "tidy",
    "move-out",
    "mongodb/items",
    "mongodb/search",
    "mongodb/memories",
    "mongodb/store",
    "open-memory",
    "dialects",
    "langchain",
    "conversation",
    "prompt",
    "graph",
    "template",
  ],
};

/** Packages with a fixed set of modules that may import them. */
const packageUsers: Record<string, string[]> = {
  langchain: ["middleware"],
  "@langchain/core/singletons": ["langchain/langgraph-internals"],
  "@langchain/openai": [],
  "@langchain/anthropic": [],
  "@anthropic-ai/sdk": [],
  mongodb: [
    "mongodb/driver",
    "mongodb/history",
    "mongodb/proposals",
    "mongodb/embeddings",
    "mongodb/items",
    "mongodb/search",
    "mongodb/memories",
    "mongodb/store",
    "mongodb/admin",
  ],
  deepagents: ["deepagents"],
  // Its tools are plain objects, so that no version of it is loaded.
  ai: [],
  "@modelcontextprotocol/server": ["mcp"],
  "@modelcontextprotocol/node": ["mcp"],
  yaml: ["dialects"],
  diff: ["core"],
  commander: ["cli"],
  hono: ["page"],
  "@hono/node-server": ["page"],
  preact: ["page/client"],
  marked: ["page/client"],
};

const corePackages = ["zod", "async-mutex", "diff", "stemmer", "node:crypto"];

/** A backend or a dialect does not import another one. The entry of a dialect belongs to the dialect. */
const standAlone = /^src\/(?:backends\/[^/]+|(?:dialects|langchain)\/[^/]+(?=\/))/;

/** The folders of `src/core`. Each may import the folders before it. The files of `src/core` come after all folders. */
const coreFolders = [
  "values",
  "runtime",
  "settings",
  "tree",
  "display",
  "history",
  "contract",
  "search",
  "access",
  "approval",
  "",
  "mounts",
];

const imports = sourceImports();

describe("imports of src", () => {
  it("are all seen", () => {
    expect(imports.length).toBeGreaterThan(20);
  });

  it("follow the layers", () => {
    expect(broken(imports, crossesLayers)).toEqual([]);
  });

  it("go down in core", () => {
    expect(broken(imports, goesUpInCore)).toEqual([]);
    expect(imports.filter(({ from }) => from.startsWith("src/core/") && levelInCore(from) === -1)).toEqual([]);
  });

  it("never reach for the index", () => {
    expect(broken(imports, ({ to }) => to === "src/index.ts")).toEqual([]);
  });

  it("keep the core free of everything but its few packages", () => {
    const foreign = ({ from, to }: SourceImport) =>
      roomOf(from) === "core" && !to.startsWith("src/") && !corePackages.includes(to);
    expect(broken(imports, foreign)).toEqual([]);
  });

  it("keep the dialects free of LangChain", () => {
    expect(broken(imports, ({ from, to }) => roomOf(from) === "dialects" && isLangChain(to))).toEqual([]);
  });

  it("leave optional and driver packages to the modules made for them", () => {
    expect(broken(imports, misusesPackage)).toEqual([]);
  });

  it("join no backend or dialect to another", () => {
    expect(broken(imports, joinsSiblings)).toEqual([]);
  });

  // So that the entry of one dialect never loads the others.
  it("lead from no dialect to the list of them", () => {
    expect(broken(imports, reachesRegistry)).toEqual([]);
  });

  it("form no cycle", () => {
    expect(findCycle(imports)).toBeUndefined();
  });
});

describe("unit tests and pins", () => {
  it("start no database", () => {
    const reached = ["__tests__/unit", "__tests__/pins"]
      .flatMap(testFiles)
      .filter((file) => filesBehind(file).has(serversHelper));
    expect(reached).toEqual([]);
  });

  it("would be seen starting one", () => {
    expect(filesBehind("__tests__/integration/store/items.test.ts")).toContain(serversHelper);
  });
});

describe("the rules themselves", () => {
  it.each([
    [crossesLayers, "src/core/values/paths.ts", "src/backends/base-store.ts"],
    [crossesLayers, "src/dialects/dialect.ts", "src/prompt/render.ts"],
    [crossesLayers, "src/mongodb/items/item-document.ts", "src/mongodb/store/store-batch.ts"],
    [crossesLayers, "src/unknown/a.ts", "src/core/values/paths.ts"],
    [goesUpInCore, "src/core/values/text.ts", "src/core/tree/change.ts"],
    [goesUpInCore, "src/core/approval/proposals.ts", "src/core/pipeline.ts"],
    [misusesPackage, "src/graph/agent.ts", "langchain"],
    [misusesPackage, "src/middleware/index.ts", "@langchain/openai"],
    [misusesPackage, "src/mongodb/operations/filters.ts", "mongodb"],
    [joinsSiblings, "src/backends/base-store.ts", "src/backends/directory/folder.ts"],
    [crossesLayers, "src/dialects/claude/claude-dialect.ts", "src/langchain/dialect-tool.ts"],
    [crossesLayers, "src/mongodb/store/store-batch.ts", "src/langchain/dialect-tool.ts"],
    [joinsSiblings, "src/dialects/claude/claude-dialect.ts", "src/dialects/unified/unified-dialect.ts"],
    [joinsSiblings, "src/langchain/claude/index.ts", "src/dialects/journal/journal-dialect.ts"],
    [misusesPackage, "src/graph/agent.ts", "@langchain/core/singletons"],
    [reachesRegistry, "src/dialects/claude/claude-dialect.ts", "src/dialects/registry.ts"],
    [reachesRegistry, "src/langchain/dialect-tool.ts", "src/dialects/registry.ts"],
  ])("%p refuses %s -> %s", (rule, from, to) => {
    expect(rule({ from, to })).toBe(true);
  });

  it("allow files of one backend to share, dialects to share helpers, and lists to name them", () => {
    expect(joinsSiblings({ from: "src/backends/directory/a.ts", to: "src/backends/directory/b.ts" })).toBe(false);
    expect(joinsSiblings({ from: "src/dialects/claude/a.ts", to: "src/dialects/dialect.ts" })).toBe(false);
    expect(joinsSiblings({ from: "src/dialects/registry.ts", to: "src/dialects/claude/a.ts" })).toBe(false);
    expect(joinsSiblings({ from: "src/langchain/claude/index.ts", to: "src/dialects/claude/a.ts" })).toBe(false);
  });

  it("find a cycle", () => {
    const ring = [
      ["a", "b"],
      ["b", "c"],
      ["c", "b"],
    ].map(([from = "", to = ""]) => ({ from, to }));
    expect(findCycle(ring)).toEqual(["b", "c", "b"]);
  });
});

function broken(all: SourceImport[], rule: (one: SourceImport) => boolean): string[] {
  return all.filter(rule).map(({ from, to }) => `${from} -> ${to}`);
}

/**
 * Returns the module of a file: `core` of `src/core/values/paths.ts`, `mongodb/items` of `src/mongodb/items/expiry.ts`,
 * `index` of `src/index.ts`.
 */
function roomOf(file: string): string {
  const place = file.replace(/^src\//, "").replace(/\.tsx?$/, "");
  const modules = Object.keys(mayImport).filter((module) => place === module || place.startsWith(`${module}/`));
  return modules.toSorted((a, b) => b.length - a.length)[0] ?? `none for ${file}`;
}

function goesUpInCore({ from, to }: SourceImport): boolean {
  return to.startsWith("src/core/") && from.startsWith("src/core/") && levelInCore(to) > levelInCore(from);
}

function levelInCore(file: string): number {
  return coreFolders.indexOf(/^src\/core\/(?:(.*)\/)?[^/]*$/.exec(file)?.[1] ?? "");
}

function crossesLayers({ from, to }: SourceImport): boolean {
  if (!to.startsWith("src/") || roomOf(from) === roomOf(to)) return false;
  return !(mayImport[roomOf(from)] ?? []).includes(roomOf(to));
}

function misusesPackage({ from, to }: SourceImport): boolean {
  const users = packageUsers[to];
  return users !== undefined && !users.includes(roomOf(from));
}

function joinsSiblings({ from, to }: SourceImport): boolean {
  const [own, other] = [from, to].map((file) => standAlone.exec(file)?.[0].replace("src/langchain/", "src/dialects/"));
  return own !== undefined && other !== undefined && own !== other;
}

function reachesRegistry({ from, to }: SourceImport): boolean {
  return ["dialects", "langchain"].includes(roomOf(from)) && to === "src/dialects/registry.ts";
}

function isLangChain(name: string): boolean {
  return name === "langchain" || name.startsWith("@langchain/");
}

function findCycle(all: SourceImport[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { from, to } of all) targets.set(from, [...(targets.get(from) ?? []), to]);
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const to of targets.get(file) ?? []) {
      const cycle = visit(to, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

const serversHelper = "__tests__/helpers/mongo-servers.ts";

function testFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

/** The files of `__tests__` that a test imports, but for their types, and those which they import. */
function filesBehind(file: string, found = new Set<string>()): Set<string> {
  const imported = readFileSync(file, "utf8").matchAll(/^(?!import type )(?:.* from|import) ?\(?"(\.[^"]+)\.js"/gm);
  for (const [, path = ""] of imported) {
    const target = join(file, "..", `${path}.ts`);
    if (!target.startsWith("__tests__/") || found.has(target) || !existsSync(target)) continue;
    found.add(target);
    filesBehind(target, found);
  }
  return found;
}
