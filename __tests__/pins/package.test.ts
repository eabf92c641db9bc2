import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { packagesInSdk, sdkPackages } from "../../tools/build/command-line.js";
import { bundledPackages } from "../../tools/build/entries.js";
import { clientFile, clientPackages } from "../../tools/build/page-client.js";
import { readLicence } from "../../tools/release/licence.js";
import { brokenLinks, pageAt } from "../helpers/documentation.js";
import { loadedModules } from "../helpers/loaded-modules.js";
import { connectTo } from "../helpers/mcp-clients.js";
import { linkPackages, sizeOfFolder, unpackPackage } from "../helpers/packed-package.js";
import { testFolder } from "../helpers/test-folder.js";

const run = promisify(execFile);
const project = testFolder();
/** Of a project that uses the package, without what is optional. */
const ownPackages = [
  "@langchain/core",
  "@langchain/langgraph",
  "@langchain/langgraph-checkpoint",
  "async-mutex",
  "commander",
  "diff",
  "mongodb",
  "yaml",
  "zod",
];
let packed = "";

beforeAll(async () => {
  packed = await unpackPackage(project);
  await linkPackages(project, ownPackages);
});

/** Needs `dist`, which `npm test` builds first. The package imports itself by name, as its users do. */
const load = {
  module: (path: string) => `await import("langgraph-mongo-memory${path}");`,
  commonjs: (path: string) => `require("langgraph-mongo-memory${path}");`,
} as const;

const optional =
  /\/node_modules\/(langchain|ai|@ai-sdk|@langchain\/(?:openai|anthropic|google-genai)|@anthropic-ai|@modelcontextprotocol|@opentelemetry)\//;

/** The entries that load and name no optional package, and what they add to the package's name. */
const entries = {
  index: "",
  "ai-sdk": "/ai-sdk",
  learn: "/learn",
  claude: "/claude",
  journal: "/journal",
  page: "/page",
  records: "/records",
};

describe.each(["module", "commonjs"] as const)("importing the package from a %s", (inputType) => {
  let modules: string[] = [];
  beforeAll(async () => {
    modules = await loadedModules(inputType, Object.values(entries).map(load[inputType]).join(""));
  });

  it(`loads no optional package for its entries ${Object.keys(entries).join(", ")}`, () => {
    const own = modules.filter((url) => !url.includes("/node_modules/"));
    for (const entry of Object.keys(entries)) {
      const file = `/dist/${entry}.${inputType === "module" ? "js" : "cjs"}`;
      expect(own.filter((url) => url.endsWith(file))).toHaveLength(1);
    }
    expect(modules.some((url) => url.includes("/node_modules/@langchain/core/"))).toBe(true);
    expect(modules.filter((url) => optional.test(url))).toEqual([]);
  });

  // A fifth of the time of the import: a folder or another store needs no driver.
  it("loads the driver of MongoDB for no entry", () => {
    expect(modules.filter((url) => url.includes("/node_modules/mongodb/"))).toEqual([]);
  });

  it("would be seen loading one", async () => {
    const ofMiddleware = await loadedModules(inputType, load[inputType]("/middleware"));
    expect(ofMiddleware.some((url) => optional.test(url))).toBe(true);
  });
});

describe("the types of the package", () => {
  // An inferred return type can name an optional package that no source file imports.
  it.each(Object.keys(entries).flatMap((entry) => [`${entry}.d.ts`, `${entry}.d.cts`]))(
    "%s need no optional package",
    async (file) => {
      const packages = await typePackages(file);
      expect(packages).toContainEqual(expect.stringMatching(/^@langchain\/(?:core|langgraph-checkpoint)$/));
      expect(packages.filter((name) => optional.test(`/node_modules/${name}/`))).toEqual([]);
    },
  );
});

describe("the program of the package", () => {
  it.each(["langgraph-mongo-memory", "lgmm"])("is called %s", async (name) => {
    const { bin, version } = JSON.parse(await readFile(join(packed, "package.json"), "utf8")) as {
      bin: Record<string, string>;
      version: string;
    };
    const { stdout } = await run(process.execPath, [join(packed, bin[name] ?? ""), "--version"]);
    expect(stdout).toBe(`${version}\n`);
  });

  // Half of the time of its start: it shares files with the library, and none of those may need them.
  it("loads neither LangChain nor the driver of MongoDB for a folder", async () => {
    const modules = await loadedModules(
      "module",
      `process.argv.push("", "import", "--dir", "src/cli", "--to-dir", "src/cli", "--dry-run"); await import("./dist/cli.js");`,
    );
    expect(modules.filter((url) => url.endsWith("/dist/cli.js"))).toHaveLength(1);
    expect(modules.filter((url) => /\/node_modules\/(?:@langchain|mongodb)\//.test(url))).toEqual([]);
  });
});

describe("the weight of the package", () => {
  it("is at most 8 packages and 5 MB beside the peers", async () => {
    const names = await installedBesidePeers();
    const sizes = await Promise.all(names.map((name) => sizeOfFolder(`node_modules/${name}`)));
    expect(names.length + 1).toBeLessThanOrEqual(8);
    expect(sizes.reduce((sum, size) => sum + size, await sizeOfFolder(packed))).toBeLessThanOrEqual(5_000_000);
  });

  it("says whose packages are in its files, and their licences", async () => {
    const notices = await readFile(join(packed, "dist/THIRD-PARTY-LICENSES.md"), "utf8");
    for (const name of [...bundledPackages, ...clientPackages, ...sdkPackages, ...packagesInSdk]) {
      const [, ...sections] = notices.split(/^## /m);
      // Several packages may share a section.
      const section = sections.find((text) => text.split("\n", 1)[0]?.split(", ").includes(name)) ?? "";
      // Nobody sees spaces at the end of a line.
      const found = withoutTrailingSpaces(section.replaceAll(/^> ?/gm, ""));
      expect(found).toContain(`\n\n${withoutTrailingSpaces(await readLicence(name))}`);
    }
  });

  it("has the client of the page once, in at most 80 kB, and with all its packages", async () => {
    const stored = await readFile(join(packed, "dist", clientFile), "utf8");
    expect(stored.length).toBeLessThanOrEqual(80_000);
    const client = Array.from(stored.matchAll(/:"([^"]+)"/g), ([, file = ""]) =>
      brotliDecompressSync(Buffer.from(file, "base64")).toString(),
    ).join("\n");
    expect(client).toContain("Skip to content");
    expect(client.length).toBeLessThanOrEqual(200_000);
    expect(client).not.toMatch(/\b(?:from|import)\s*\(?\\?"[^"\\.]/);
    const others = (await readdir(join(packed, "dist"))).filter((name) => /\.c?js$/.test(name) && name !== clientFile);
    const texts = await Promise.all(others.map((name) => readFile(join(packed, "dist", name), "utf8")));
    expect(texts.filter((text) => text.includes("Skip to content"))).toEqual([]);
    expect(texts.filter((text) => text.includes(`./${clientFile}`)).length).toBeGreaterThan(1);
  });

  it("is at most 15 kB in a bundle that takes one error class of it", async () => {
    const program = join(project, "program.js");
    await writeFile(
      program,
      'import { MemoryError } from "./node_modules/langgraph-mongo-memory/dist/index.js"; console.log(MemoryError);',
    );
    const { stdout } = await run("node_modules/.bin/esbuild", [
      program,
      "--bundle",
      "--minify",
      "--format=esm",
      "--packages=external",
    ]);
    expect(stdout).toContain("langgraph-mongo-memory.MemoryError");
    expect(stdout.length).toBeLessThanOrEqual(15_000);
  });
});

/** A recording that is too large for the package, and what people read who change the package. */
const onlyInRepository = [
  "docs/images/recording.webp",
  "docs/architecture.md",
  "docs/specification.md",
  "docs/decisions/README.md",
  ".github/CONTRIBUTING.md",
];

describe("the pages of the package", () => {
  it("link to what is in the package", async () => {
    const names = await readdir(packed, { recursive: true });
    const pages = names.filter((name) => name.endsWith(".md")).map((name) => pageAt(name, packed));
    const broken = pages.flatMap((page) =>
      brokenLinks(page, packed)
        .filter((link) => !onlyInRepository.includes(join(dirname(page.file), link)))
        .map((link) => `${page.file}: ${link}`),
    );
    expect(onlyInRepository.filter((file) => names.includes(file) || !existsSync(file))).toEqual([]);
    expect(pages.length).toBeGreaterThan(20);
    expect(broken).toEqual([]);
  });

  it("show pictures that are in the package", async () => {
    const readme = await readFile(join(packed, "README.md"), "utf8");
    const pictures = Array.from(readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g), ([, file = ""]) => file);
    expect(pictures.map((file) => existsSync(join(packed, file)))).toEqual([true, true]);
  });
});

describe("without the SDK of MCP", () => {
  const words = (name: string) => `MCP needs the package ${name}, which is not installed: npm install ${name}`;
  const server = "@modelcontextprotocol/server";
  const serve = [join("node_modules/langgraph-mongo-memory/dist/cli.js"), "mcp", "--dir", "memory"];
  const toolNames = async (transport: Transport) =>
    (await (await connectTo(transport)).listTools()).tools.map(({ name }) => name);

  it.each(["module", "commonjs"] as const)("the entry ./mcp says in a %s what to install", async (inputType) => {
    const result = run(process.execPath, [`--input-type=${inputType}`, "--eval", load[inputType]("/mcp")], {
      cwd: project,
    });
    await expect(result).rejects.toMatchObject({ stderr: expect.stringContaining(words(server)) });
  });

  it("Node gets every name of ./mcp from the file that would say so", async () => {
    const program = 'import * as node from "langgraph-mongo-memory/mcp"; import * as mcp from "./dist/mcp.js";';
    const { stdout } = await run(process.execPath, [
      "--input-type=module",
      "--eval",
      `${program} console.log(String(Object.keys(node)) === String(Object.keys(mcp)))`,
    ]);
    expect(stdout).toBe("true\n");
  });

  it("the command mcp serves a folder over standard input and output", async () => {
    const transport = new StdioClientTransport({ command: process.execPath, args: serve, cwd: project });
    expect(await toolNames(transport)).toEqual(["memory"]);
  });

  it("the command mcp serves a folder over HTTP", async () => {
    const child = spawn(process.execPath, [...serve, "--http", "--port", "0"], { cwd: project });
    try {
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      const transport = new StreamableHTTPClientTransport(new URL(line.replace("serving ", "")));
      expect(await toolNames(transport)).toEqual(["memory"]);
    } finally {
      child.kill();
    }
  });
});

describe("the development of the package", () => {
  it("downloads no MongoDB when its packages are installed", async () => {
    const { MONGOMS_SYSTEM_BINARY: _, ...env } = process.env;
    const { stdout } = await run(process.execPath, ["node_modules/mongodb-memory-server/postinstall.js"], {
      env: { ...env, INIT_CWD: process.cwd() },
    });
    expect(stdout).toContain("postinstall skipped");
    expect(stdout).toContain("DISABLE_POSTINSTALL");
  });

  it("names no host in the lock file", async () => {
    expect(await readFile("package-lock.json", "utf8")).not.toMatch(/"resolved": "https?:/);
  });
});

function withoutTrailingSpaces(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, "");
}

/** What npm installs for the package's own dependencies, by the lock file. */
async function installedBesidePeers(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8")) as {
    packages: Record<string, { dependencies?: object }>;
  };
  const found = new Set<string>();
  const add = (path: string): void => {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      if (found.has(name)) continue;
      found.add(name);
      add(`node_modules/${name}`);
    }
  };
  add("");
  return [...found];
}

/** The packages that a declaration file and the chunks it imports name. */
async function typePackages(file: string, seen = new Set<string>()): Promise<string[]> {
  seen.add(file);
  const text = await readFile(`dist/${file}`, "utf8");
  const specifiers = Array.from(text.matchAll(/(?:from |import\()"([^"]+)"/g), ([, specifier = ""]) => specifier);
  const packages = specifiers.filter((specifier) => !specifier.startsWith("."));
  const chunks = specifiers.filter((specifier) => specifier.startsWith("."));
  for (const chunk of chunks) {
    const next = chunk.replace(/^\.\//, "").replace(/\.(c?)js$/, ".d.$1ts");
    if (!seen.has(next)) packages.push(...(await typePackages(next, seen)));
  }
  return packages.map((name) =>
    name
      .split("/")
      .slice(0, name.startsWith("@") ? 2 : 1)
      .join("/"),
  );
}
