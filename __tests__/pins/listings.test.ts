import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";
import { createManifest } from "../../tools/desktop/manifest.js";
import { withOwnerOf } from "../../tools/release/owner.js";
import { dialectNames } from "../../src/dialects/registry.js";
import { cli } from "../helpers/run-cli.js";

/* The files by which registries, desktops and coding agents find the package and start it. */

const manifest = z.looseObject({ name: z.string(), version: z.string(), mcpName: z.string(), license: z.string() });
const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));
const ownManifest = async () => manifest.parse(await readJson("package.json"));
/** The file for the registry, as the release writes it. */
const createServer = async () =>
  withOwnerOf(await ownManifest(), (await readJson("tools/listings/server.json")) as object);

const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).min(1).optional(),
};

/** The rules of the registry's schema 2025-12-11 for what the file uses, and what the registry refuses beside it. */
const serverFile = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  repository: z.strictObject({ url: z.url(), source: z.literal("github") }),
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/),
  packages: z.array(
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string(),
      version: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/),
      runtimeHint: z.literal("npx"),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.array(
        z.discriminatedUnion("type", [
          z.strictObject({ ...input, type: z.literal("positional"), value: z.string() }),
          z.strictObject({ ...input, type: z.literal("named"), name: z.string().regex(/^--/) }),
        ]),
      ),
      environmentVariables: z.array(z.strictObject({ ...input, name: z.string() })).optional(),
    }),
  ),
});

const mcpServers = z.record(z.string(), z.strictObject({ command: z.literal("npx"), args: z.array(z.string()) }));

describe("server.json", () => {
  it("keeps the rules of the registry", async () => {
    expect(serverFile.safeParse(await createServer()).error).toBeUndefined();
  });

  it("has the version and the names of the package", async () => {
    const { name, version, mcpName } = await ownManifest();
    const server = serverFile.parse(await createServer());
    expect(server).toMatchObject({ name: mcpName, version });
    expect(mcpName.endsWith(`/${name}`)).toBe(true);
    for (const each of server.packages) expect(each).toMatchObject({ identifier: name, version });
  });

  it("names options and choices that the command has", async () => {
    const { stdout } = await cli(["mcp", "--help"]);
    const { packages } = serverFile.parse(await createServer());
    for (const { packageArguments } of packages) {
      expect(packageArguments[0]).toEqual({ type: "positional", value: "mcp" });
      const named = packageArguments.flatMap((each) => (each.type === "named" ? [each] : []));
      expect(named.filter(({ name }) => !stdout.includes(`  ${name} `))).toEqual([]);
      expect(named.find(({ name }) => name === "--dialect")?.choices).toEqual(dialectNames);
    }
  });
});

describe("the plugins", () => {
  it("have the name and the version of the package, and start this version", async () => {
    const { name, version } = await ownManifest();
    for (const file of [".claude-plugin/plugin.json", "gemini-extension.json"])
      expect(await readJson(file)).toMatchObject({ name, version });
    for (const file of [".claude-plugin/mcp.json", "gemini-extension.json"]) {
      const { memory } = z.looseObject({ mcpServers }).parse(await readJson(file)).mcpServers;
      expect(memory?.args).toEqual(["-y", `${name}@${version}`, "mcp", "--dir", "./agent-memory"]);
    }
  });

  it("of Claude Code is in its marketplace, and has the files that it names", async () => {
    const { name, version } = await ownManifest();
    const plugin = z.looseObject({ description: z.string(), skills: z.string(), mcpServers: z.string() });
    const { description, skills, mcpServers: servers } = plugin.parse(await readJson(".claude-plugin/plugin.json"));
    const plugins = [{ name, version, description, source: "./" }];
    expect(await readJson(".claude-plugin/marketplace.json")).toMatchObject({ name, plugins });
    expect([skills, servers].filter((path) => !path.startsWith("./") || !existsSync(path))).toEqual([]);
  });
});

describe("the lines for clients of MCP", () => {
  const folderArgs = (folder: string) => ["-y", "langgraph-mongo-memory", "mcp", "--dir", folder];
  const server = { command: "npx", args: folderArgs("${workspaceFolder}/agent-memory") };
  const found = async (pattern: RegExp) => pattern.exec(await readFile("docs/mcp.md", "utf8"))?.[1] ?? "";

  it("add the folder of a project to Claude Code", async () => {
    const line = await found(/^claude mcp add memory -- \\\n {2}(.*)$/m);
    expect(line.split(" ")).toEqual(["npx", ...folderArgs('"$PWD/agent-memory"')]);
  });

  it.each([
    ["VS Code", /\((https:\/\/vscode\.dev\/redirect\/mcp\/install[^)]+)\)/, (config: string) => config],
    [
      "Cursor",
      /\((https:\/\/cursor\.com\/en\/install-mcp[^)]+)\)/,
      (config: string) => Buffer.from(config, "base64").toString(),
    ],
  ])("add the folder of a project to %s", async (_client, pattern, decode) => {
    const { searchParams } = new URL(await found(pattern));
    expect(searchParams.get("name")).toBe("memory");
    expect(JSON.parse(decode(searchParams.get("config") ?? ""))).toEqual(server);
  });
});

describe("the skill", () => {
  const folder = "skills/langgraph-mongo-memory";

  it("says its name and when to use it", async () => {
    const [, head = ""] = (await readFile(`${folder}/SKILL.md`, "utf8")).split(/^---$/m);
    const { name, description } = z.strictObject({ name: z.string(), description: z.string() }).parse(parse(head));
    expect(name).toBe(basename(folder));
    expect(description).toMatch(/Use it when/);
    expect(description.length).toBeLessThanOrEqual(1024);
  });

  it("names pages that the package has, and is short", async () => {
    const text = await readFile(`${folder}/SKILL.md`, "utf8");
    const pages = Array.from(
      text.matchAll(/`(?:node_modules\/langgraph-mongo-memory\/)?(docs\/[^`]+)`/g),
      ([, page = ""]) => page,
    );
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.filter((page) => !existsSync(page))).toEqual([]);
    expect(text.split("\n").length).toBeLessThan(200);
  });
});

describe("the desktop bundle", () => {
  it("has the version of the package, the icon that it names, and says what it does with data", async () => {
    const { name, version, license } = await ownManifest();
    const privacy_policies = [expect.stringMatching(/tools\/desktop\/README\.md#privacy$/)];
    const named = { manifest_version: "0.3", name, version, license, icon: "icon.png", privacy_policies };
    expect(await createManifest([])).toMatchObject(named);
    expect(await readFile("tools/desktop/README.md", "utf8")).toContain("\n## Privacy\n");
    const header = (await readFile("tools/desktop/icon.png")).subarray(16, 24);
    expect([header.readUInt32BE(0), header.readUInt32BE(4)]).toEqual([512, 512]);
    expect((await stat("tools/desktop/icon.png")).size).toBeLessThan(100_000);
  });

  it("describes each tool by the first line that the model reads", async () => {
    const tools = [{ name: "memory", description: "First.\nSecond." }];
    expect(await createManifest(tools)).toMatchObject({ tools: [{ name: "memory", description: "First." }] });
  });
});
