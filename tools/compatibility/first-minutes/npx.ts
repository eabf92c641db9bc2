import { deepEqual, equal, match } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Environment, environmentWith, run } from "./shell.js";
import type { Place } from "./skill.js";

/** Calls commands by npx in an empty folder, where npx installs the packed package and nothing else. */
export async function checkNpx({ directory, tarball, uri }: Place): Promise<void> {
  const folder = join(directory, "npx");
  await mkdir(folder);
  const env = { MONGODB_URI: `${uri}npx` };
  const specifier = `langgraph-mongo-memory@file:${tarball}`;
  const npx = (command: string) => run(folder, `npx -y ${specifier} ${command}`, env);
  const start = (command: string) =>
    spawn("npx", ["-y", specifier, ...command.split(" ")], {
      cwd: folder,
      env: environmentWith(env),
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
  try {
    await npx("init state-graph agent");
    await access(join(folder, "agent/main.ts"));
    await Promise.all([checkCommands(npx), checkServers(start), checkClient(specifier, folder, env)]);
    console.log("ok: init, doctor, page and mcp by npx");
  } finally {
    await removeInstallation(tarball, folder);
  }
}

async function checkCommands(npx: (command: string) => Promise<string>): Promise<void> {
  await npx("append /readme.md --node assistant < agent/README.md");
  await npx("doctor");
}

async function checkServers(start: (command: string) => ChildProcess): Promise<void> {
  await withUrl(start("page --port 0 --json"), async (url) => equal((await fetch(url)).status, 200));
  await withUrl(start("mcp --http --port 0 --json --dir memory"), async (url) => {
    await checkTools(new StreamableHTTPClientTransport(new URL(url)));
  });
}

/** Starts the server as a client does that has this command in its configuration. */
async function checkClient(specifier: string, folder: string, env: Environment): Promise<void> {
  const args = ["-y", specifier, "mcp", "--node", "assistant"];
  // The type of the client knows no variable without a value.
  const variables = environmentWith(env) as Record<string, string>;
  await checkTools(new StdioClientTransport({ command: "npx", args, cwd: folder, env: variables, stderr: "ignore" }));
}

async function checkTools(transport: Transport): Promise<void> {
  const client = new Client({ name: "first-minutes", version: "1.0.0" });
  // npx may install for longer than the usual minute.
  await client.connect(transport, { timeout: 600_000 });
  try {
    const { tools } = await client.listTools();
    deepEqual(
      tools.map(({ name }) => name),
      ["memory"],
    );
    const { content } = await client.callTool({ name: "memory", arguments: { command: "list", path: "/" } });
    match(JSON.stringify(content), /\\"ok\\":true/);
  } finally {
    await client.close();
  }
}

/** Reads the address that a server prints, and ends the server afterwards. */
async function withUrl(child: ChildProcess, use: (url: string) => Promise<void>): Promise<void> {
  // Its output is a pipe, and it has a process id unless npx is missing.
  const { stdout, pid } = child;
  if (stdout === null || pid === undefined) throw new Error("npx did not start");
  try {
    const [line] = (await once(createInterface(stdout), "line")) as [string];
    await use((JSON.parse(line) as { url: string }).url);
  } finally {
    const ended = once(child, "exit");
    process.kill(-pid, "SIGTERM");
    await ended;
  }
}

/** npx would keep what it has installed for this tarball, which nobody asks for again. */
async function removeInstallation(tarball: string, folder: string): Promise<void> {
  const installations = join((await run(folder, "npm config get cache")).trim(), "_npx");
  for (const name of await readdir(installations)) {
    const manifest = await readFile(join(installations, name, "package.json"), "utf8").catch(() => "");
    if (manifest.includes(tarball)) await rm(join(installations, name), { recursive: true, force: true });
  }
}
