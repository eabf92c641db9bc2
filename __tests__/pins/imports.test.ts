import { beforeAll, describe, expect, it } from "@jest/globals";
import { sourceImports, type SourceImport } from "../helpers/source-imports.js";

/** Which folders of `src` each folder may import, itself aside. Type-only imports count. */
const mayImport: Record<string, string[]> = {
  core: [],
  backends: ["core"],
  tools: ["core"],
  prompt: ["core"],
  stores: ["core", "backends"],
  graph: ["core", "tools", "prompt", "stores"],
  testing: ["core"],
  middleware: ["core", "tools", "prompt", "graph"],
  claude: ["core", "tools"],
  journal: ["core", "tools"],
  records: ["core", "tools"],
  directory: ["core", "backends"],
  deepagents: ["core", "tools"],
  mcp: ["core", "tools"],
  cli: ["core", "backends", "stores", "tools", "directory", "mcp"],
  index: ["core", "backends", "tools", "prompt", "stores", "graph"],
};

/** Packages with a fixed set of folders that may import them. */
const packageUsers: Record<string, string[]> = {
  langchain: ["middleware"],
  "@langchain/openai": [],
  "@langchain/anthropic": [],
  "@anthropic-ai/sdk": [],
  mongodb: ["backends", "stores"],
  deepagents: ["deepagents"],
  "@modelcontextprotocol/server": ["mcp"],
  "@modelcontextprotocol/node": ["mcp"],
  yaml: ["tools"],
  "proper-lockfile": ["backends"],
  picomatch: ["deepagents"],
  commander: ["cli"],
  "cli-progress": ["cli"],
};

const corePackages = ["zod", "async-mutex"];

/** Files of one of these folders each stand alone: no backend knows another, no dialect either. */
const standAlone = /^src\/(?:backends\/[^/]+|tools\/(?:unified|claude|journal|records))(?:[/.]|$)/;

let imports: SourceImport[] = [];

beforeAll(async () => {
  imports = await sourceImports();
}, 60_000);

describe("imports of src", () => {
  it("are all seen", () => {
    expect(imports.length).toBeGreaterThan(20);
  });

  it("follow the layers", () => {
    expect(broken(imports, crossesLayers)).toEqual([]);
  });

  it("never reach for the index", () => {
    expect(broken(imports, ({ to }) => to === "src/index.ts")).toEqual([]);
  });

  it("keep the core free of everything but its few packages", () => {
    const foreign = ({ from, to }: SourceImport) =>
      folderOf(from) === "core" && !to.startsWith("src/") && !corePackages.includes(to);
    expect(broken(imports, foreign)).toEqual([]);
  });

  it("leave optional and driver packages to the folders made for them", () => {
    expect(broken(imports, misusesPackage)).toEqual([]);
  });

  it("join no backend to another and no dialect to another", () => {
    expect(broken(imports, joinsSiblings)).toEqual([]);
  });

  it("form no cycle", () => {
    expect(findCycle(imports)).toBeUndefined();
  });
});

describe("the rules themselves", () => {
  it.each([
    [crossesLayers, "src/core/paths.ts", "src/backends/base-store.ts"],
    [crossesLayers, "src/tools/unified.ts", "src/prompt/render.ts"],
    [crossesLayers, "src/unknown/a.ts", "src/core/paths.ts"],
    [misusesPackage, "src/graph/agent.ts", "langchain"],
    [misusesPackage, "src/middleware.ts", "@langchain/openai"],
    [misusesPackage, "src/claude.ts", "@anthropic-ai/sdk"],
    [joinsSiblings, "src/backends/base-store.ts", "src/backends/mongodb/document.ts"],
    [joinsSiblings, "src/tools/claude.ts", "src/tools/unified.ts"],
  ])("%p refuses %s -> %s", (rule, from, to) => {
    expect(rule({ from, to })).toBe(true);
  });

  it("allow files of one backend to share, and tools to share helpers", () => {
    expect(joinsSiblings({ from: "src/backends/mongodb/a.ts", to: "src/backends/mongodb/b.ts" })).toBe(false);
    expect(joinsSiblings({ from: "src/tools/unified.ts", to: "src/tools/dialect-tool.ts" })).toBe(false);
  });

  it("find a cycle", () => {
    const ring = [["a", "b"], ["b", "c"], ["c", "b"]].map(([from = "", to = ""]) => ({ from, to }));
    expect(findCycle(ring)).toEqual(["b", "c", "b"]);
  });
});

function broken(all: SourceImport[], rule: (one: SourceImport) => boolean): string[] {
  return all.filter(rule).map(({ from, to }) => `${from} -> ${to}`);
}

/** `core` of `src/core/paths.ts`, `middleware` of `src/middleware.ts`. */
function folderOf(file: string): string {
  return /^src\/([^/.]+)/.exec(file)?.[1] ?? "";
}

function crossesLayers({ from, to }: SourceImport): boolean {
  if (!to.startsWith("src/") || folderOf(from) === folderOf(to)) return false;
  return !(mayImport[folderOf(from)] ?? []).includes(folderOf(to));
}

function misusesPackage({ from, to }: SourceImport): boolean {
  const users = packageUsers[to];
  return users !== undefined && !users.includes(folderOf(from));
}

function joinsSiblings({ from, to }: SourceImport): boolean {
  const [own] = standAlone.exec(from) ?? [];
  const [other] = standAlone.exec(to) ?? [];
  return own !== undefined && other !== undefined && own !== other;
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
