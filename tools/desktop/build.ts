import { deepEqual, equal, match, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import { packagesInSdk } from "../build/command-line.js";
import { readLicence } from "../release/licence.js";
import { createManifest } from "./manifest.js";

/*
 * Builds the desktop bundle from the sources, with all packages in one file. Checks and packs it with the official
 * tool. Then unpacks it, and uses it with plain Node, where nothing else is installed.
 */

const bundleFile = resolve("tools/desktop/langgraph-mongo-memory.mcpb");
const elsewhere = await mkdtemp(join(tmpdir(), "desktop-bundle-"));
try {
  const folder = join(elsewhere, "bundle");
  await buildInto(folder);
  await runTool("validate", join(folder, "manifest.json"));
  await rm(bundleFile, { force: true });
  await runTool("pack", folder, bundleFile);
  const unpacked = join(elsewhere, "unpacked");
  await runTool("unpack", bundleFile, unpacked);
  await checkBundle(unpacked);
  console.log(`ok: ${bundleFile}, ${(await stat(bundleFile)).size} bytes`);
} finally {
  await rm(elsewhere, { recursive: true, force: true });
}

async function buildInto(folder: string): Promise<void> {
  await mkdir(join(folder, "server"), { recursive: true });
  const { metafile } = await build({
    metafile: true,
    entryPoints: ["tools/desktop/server.ts"],
    outfile: join(folder, "server/index.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    alias: {
      "@langchain/core/singletons": "./tools/desktop/without-langgraph.ts",
      "@langchain/langgraph": "./tools/desktop/without-langgraph.ts",
      "@modelcontextprotocol/server/_shims": "./src/cli/platform-of-sdk.ts",
    },
    // A package in CommonJS asks for modules of Node.
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  });
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  deepEqual(
    outside.filter((path) => !isBuiltin(path)),
    [],
    "nothing but Node is outside of the bundle",
  );
  await writeFile(join(folder, "THIRD-PARTY-LICENSES.md"), await licencesOf(Object.keys(metafile.inputs)));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const file of ["icon.png", "README.md"]) await copyFile(join("tools/desktop", file), join(folder, file));
  await copyFile("LICENSE", join(folder, "LICENSE"));
  const { tools } = await withServer(folder, (client) => client.listTools());
  await writeFile(join(folder, "manifest.json"), `${JSON.stringify(await createManifest(tools), null, 2)}\n`);
}

async function licencesOf(files: readonly string[]): Promise<string> {
  const names = files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const sections = [...new Set([...names, ...packagesInSdk])]
    .toSorted()
    .map(async (name) => `## ${name}\n\n${await readLicence(name)}\n`);
  return `# Licences of the packages in this bundle\n\n${(await Promise.all(sections)).join("\n")}`;
}

/** What a desktop application does with the bundle. */
async function checkBundle(folder: string): Promise<void> {
  const { tools: described } = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as { tools: object[] };
  ok(described.length > 0);
  await withServer(folder, async (client, memory) => {
    const { tools } = await client.listTools();
    equal(tools.length, described.length);
    for (const { title, annotations } of tools) {
      ok(title !== undefined && title !== "", "each tool has a title");
      ok(annotations?.readOnlyHint === true || annotations?.destructiveHint !== undefined, "each tool has its hints");
    }
    const call = (args: Record<string, unknown>) => client.callTool({ name: "memory", arguments: args });
    const noted = await call({ command: "append", path: "/food.md", content: "Is vegetarian.\n" });
    ok(noted.isError !== true, JSON.stringify(noted));
    deepEqual(
      (await readdir(memory)).filter((name) => !name.startsWith(".")),
      ["food.md"],
    );
    match(JSON.stringify(await call({ command: "search", path: "/", query: "vegetarian" })), /food\.md/);
  });
}

/** Starts the program of a bundle as the manifest says, in an empty folder, and connects a client. */
async function withServer<T>(folder: string, use: (client: Client, memory: string) => Promise<T>): Promise<T> {
  const empty = await mkdtemp(join(elsewhere, "empty-"));
  const memory = join(empty, "memory");
  const args = [join(folder, "server/index.js"), memory];
  const client = new Client({ name: "desktop", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: empty }));
  try {
    return await use(client, memory);
  } finally {
    await client.close();
  }
}

async function runTool(...args: string[]): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "tools/desktop/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js",
    ...args,
  ]);
  console.log(stdout.trim().split("\n").slice(0, 30).join("\n"));
}
