import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { loopbackNames } from "../../core/values/hostnames.js";
import type { Dialect } from "../../dialects/dialect.js";
import { type DialectName, dialectNames, searchingDialects } from "../../dialects/registry.js";
import { missingPackage } from "../../mcp/missing-package.js";
import type { McpHttpOptions, McpServeOptions } from "../../mcp/index.js";
import { newCommand } from "../command.js";
import { inputFault, usageFault, withFile } from "../fault.js";
import type { CliContext } from "../context.js";
import { parsePort } from "../port.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addTargetOptions, refuseFlags, type TargetOptions } from "../targets/target-options.js";
import { noteOn } from "../terminal/note.js";

interface McpOptions extends TargetOptions {
  http?: boolean;
  host?: string;
  port?: string;
  tokenFile?: string;
  allowHost?: string[];
  allowOrigin?: string[];
  dialect?: DialectName[];
  search?: boolean;
  json?: boolean;
}

const tokenVariable = "LANGGRAPH_MONGO_MEMORY_TOKEN";
const httpOnly = ["host", "port", "tokenFile", "allowHost", "allowOrigin"] as const;

export function addMcp(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "mcp",
    "Serve a memory to MCP clients. It uses standard input and output, or HTTP with --http. It serves the memory that you name here; no client can choose " +
      `another. For HTTP, put the token into --token-file or into the variable ${tokenVariable}, because others can see arguments.`,
    [
      "mcp --node assistant --user ada@example.com",
      "mcp --dir ./memory --dialect claude",
      "mcp --http --port 3000 --token-file ./token --node assistant",
    ],
  )
    .option("--http", "serve over HTTP")
    .option(
      "--host <name>",
      "the address to listen on; every address except a loopback needs a token (default: 127.0.0.1)",
    )
    .option("--port <number>", "the port to listen on, 0 for any free one (default: 3000)")
    .option("--token-file <file>", "a file with the token that clients must send")
    .option(
      "--allow-host <names...>",
      "more host names under which clients may call the server, beside the loopback and --host",
    )
    .option("--allow-origin <names...>", "hosts of web pages that may call the server (default: the loopback)")
    .addOption(new Option("--dialect <names...>", "which tools to offer (default: unified)").choices(dialectNames))
    .option("--search", "let models search, with a command or a tool of the dialect");
  addMountOption(addTargetOptions(command)).action(async (options: McpOptions) => {
    if (options.http !== true) refuseFlags(options, httpOnly, "goes with --http; pass that too");
    const dialects =
      options.search === true
        ? (options.dialect ?? ["unified"]).map((name) => searchingDialects[name]())
        : options.dialect;
    await checkDialects(dialects);
    const http = options.http === true ? await readHttpOptions(options, context) : null;
    await withMemory(context, options, "write", async ({ memory, missing }) => {
      for (const sentence of await missing()) await noteOn(context, options)(sentence);
      const serveOptions: McpServeOptions = { memory, ...(dialects && { dialects }) };
      if (http === null) await serveOverStdio(serveOptions, context);
      else await serveOverHttp({ ...serveOptions, ...http }, options.json === true, context);
    });
  });
}

async function serveOverStdio(options: McpServeOptions, { io }: CliContext): Promise<void> {
  const { serveStdio } = await withSdk(() => import("../../mcp/stdio/serve-stdio.js"));
  // It listens to the signals itself; what comes after it, closing the connection, is to end in time too.
  void io.untilStopped();
  await serveStdio(options);
}

/** @throws CommandFault EUSAGE */
async function checkDialects(dialects: (DialectName | Dialect)[] | undefined): Promise<void> {
  const { toolsByName } = await import("../../mcp/tools.js");
  try {
    toolsByName(dialects ?? []);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageFault(`--dialect: ${error.message.replace(/;.*$/, "")}; serve them by two commands`, error);
  }
}

async function serveOverHttp(options: McpHttpOptions, json: boolean, { io, out }: CliContext): Promise<void> {
  const { serveHttp } = await withSdk(() => import("../../mcp/http/serve-http.js"));
  const server = await withSdk(() => serving(() => serveHttp(options)));
  try {
    if (json) await out.json({ ok: true, url: server.url });
    else await out.line(`serving ${server.url}`);
    await io.untilStopped();
  } finally {
    await server.close();
  }
}

/** @throws CommandFault EUSAGE where a package of the SDK of MCP is missing */
async function withSdk<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const missing = missingPackage(error);
    if (missing === undefined) throw error;
    const { packageName } = missing;
    throw usageFault(
      `${missing.message}; or \`npx -p langgraph-mongo-memory -p ${packageName} langgraph-mongo-memory mcp\``,
      error,
    );
  }
}

async function serving<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof TypeError) throw usageFault(`mcp --http: ${error.message}`, error);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === "EADDRINUSE" ? "the port is in use" : "the address cannot be listened on";
    throw usageFault(`mcp --http: ${reason} (${code}); pass another --port or --host`, error);
  }
}

type HttpOptions = Pick<McpHttpOptions, "host" | "port" | "token" | "allowedHosts" | "allowedOrigins">;

async function readHttpOptions(
  { host, port, tokenFile, allowHost, allowOrigin }: McpOptions,
  { io }: CliContext,
): Promise<HttpOptions> {
  const token = tokenFile === undefined ? io.env[tokenVariable] : await tokenIn(tokenFile);
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: parsePort(port) }),
    ...(token !== undefined && token !== "" && { token }),
    ...(allowHost && { allowedHosts: [...loopbackNames, ...(host === undefined ? [] : [host]), ...allowHost] }),
    ...(allowOrigin && { allowedOrigins: allowOrigin }),
  };
}

async function tokenIn(file: string): Promise<string> {
  const token = (await withFile(`--token-file ${file}`, "read", () => readFile(file, "utf8"))).trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw inputFault(`--token-file ${file}: it must hold one line, the token, of printable characters without spaces`);
  return token;
}
