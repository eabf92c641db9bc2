import { readFile } from "node:fs/promises";
import { Option } from "commander";
import { loopbackNames } from "../../../core/values/hostnames.js";
import {
  createDialect,
  type DialectName,
  dialectNames,
  SharedToolError,
  toolsByName,
} from "../../../dialects/registry.js";
import type { McpHttpOptions, McpServerOptions } from "../../../mcp/index.js";
import { createCommand } from "../../command.js";
import type { CliContext } from "../../context.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { CommandError, inputError, usageError, withFile } from "../../errors.js";
import { openFolder } from "../../targets/open-folder.js";
import { withMemory } from "../../targets/open-target.js";
import { memoryOption, memoryOptions, refuseOptions, type TargetOptions } from "../../targets/target-options.js";
import { portOption, listenError } from "./listening.js";

interface McpOptions extends TargetOptions {
  dir?: string;
  http?: boolean;
  host?: string;
  port?: number;
  tokenFile?: string;
  allowHost?: string[];
  allowOrigin?: string[];
  dialect?: DialectName[];
  search?: boolean;
}

const tokenVariable = "LANGGRAPH_MONGO_MEMORY_TOKEN";
const httpOnly = ["host", "port", "tokenFile", "allowHost", "allowOrigin"];

export const mcp = createCommand<McpOptions>({
  usage: "mcp",
  description:
    "Serve a memory to MCP clients. It uses standard input and output, or HTTP with --http. It serves the memory " +
    "that you name here; no client can choose another. For HTTP, put the token into --token-file or into the " +
    `variable ${tokenVariable}, because others can see arguments.`,
  examples: [
    "mcp --node assistant --user ada@example.com",
    "mcp --dir ./memory --dialect claude",
    "mcp --http --token-file ./token --node assistant",
  ],
  options: [
    new Option("--http", "serve over HTTP"),
    new Option(
      "--host <name>",
      "the address to listen on; every address except a loopback needs a token (default: 127.0.0.1)",
    ),
    portOption("the port to listen on, 0 for any free one (default: 3000)"),
    new Option("--token-file <file>", "a file with the token that clients must send"),
    new Option(
      "--allow-host <names...>",
      "more host names under which clients may call the server, besides the loopback and --host",
    ),
    new Option("--allow-origin <names...>", "hosts of web pages that may call the server (default: the loopback)"),
    new Option("--dialect <names...>", "which tools to offer (default: unified)").choices(dialectNames),
    new Option("--search", "let models search, with a command or a tool of the dialect"),
    ...memoryOptions,
    memoryOption("--dir <folder>", "a memory kept as files in a folder, instead of --uri and its options"),
  ],
  renamed: { token: "tokenFile", allowedHosts: "allowHost", allowedOrigins: "allowOrigin" },
  run: async (input, context) => {
    const { http, search, dialect, dir } = input;
    if (http !== true) refuseOptions(input, httpOnly, "goes with --http; pass that too");
    const dialects =
      search === true ? (dialect ?? ["unified"]).map((name) => createDialect(name, { search })) : dialect;
    checkDialects(dialects);
    const httpOptions = http === true ? await readHttpOptions(input, context) : null;
    const serve = async ({ memory }: Pick<McpServerOptions, "memory">): Promise<void> => {
      const options: McpServerOptions = { memory, ...pickDefined({ dialects }) };
      if (httpOptions === null) await serveOverStdio(options, context);
      else await serveOverHttp({ ...options, ...httpOptions }, input.json === true, context);
    };
    if (dir === undefined) await withMemory(context, input, { access: "write", missing: "announce" }, serve);
    else await serve(await openFolder("--dir", dir, input));
    return undefined;
  },
});

/** @throws CommandError EUSAGE */
function checkDialects(dialects: McpServerOptions["dialects"]): void {
  try {
    toolsByName(dialects ?? []);
  } catch (error) {
    if (!(error instanceof SharedToolError)) throw error;
    throw usageError(`--dialect: ${error.reason}; serve them by two commands`, error);
  }
}

async function readHttpOptions(
  { host, port, tokenFile, allowHost, allowOrigin }: McpOptions,
  { io }: CliContext,
): Promise<Omit<McpHttpOptions, "memory">> {
  const token = tokenFile === undefined ? readTokenVariable(io.env) : await readToken(tokenFile);
  const ownHosts = [...loopbackNames, ...(host === undefined ? [] : [host])];
  return pickDefined({
    host,
    port,
    token,
    allowedHosts: allowHost && [...ownHosts, ...allowHost],
    allowedOrigins: allowOrigin,
  });
}

const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);
const tokenRule = "it must contain one line, the token, of printable characters without spaces";

/** An empty variable is none. @throws CommandError EUSAGE */
function readTokenVariable(env: CliContext["io"]["env"]): string | undefined {
  const token = env[tokenVariable];
  if (!token || isToken(token)) return token || undefined;
  throw usageError(`${tokenVariable}: ${tokenRule}`);
}

/** @throws CommandError EINPUT also for an empty file, which must not open the server to everybody */
async function readToken(file: string): Promise<string> {
  const token = (await withFile(`--token-file ${file}`, "read", () => readFile(file, "utf8"))).trim();
  if (isToken(token)) return token;
  throw inputError(`--token-file ${file}: ${tokenRule}`);
}

async function serveOverStdio(options: McpServerOptions, { io }: CliContext): Promise<void> {
  const { serveStdio, StdioInputError } = await import("../../../mcp/serve-stdio.js");
  // `serveStdio` handles the signals itself. This call limits how long closing the database connection may then take.
  void io.untilStopped();
  await serveStdio(options).catch((error: unknown) => {
    if (!(error instanceof StdioInputError)) throw error;
    throw new CommandError("EPROTO", `mcp: ${error.message}; the connection has ended`, { cause: error });
  });
}

async function serveOverHttp(options: McpHttpOptions, json: boolean, { io, out }: CliContext): Promise<void> {
  const { serveHttp } = await import("../../../mcp/http/serve-http.js");
  const server = await serveHttp(options).catch((error: unknown) => {
    if (error instanceof TypeError) throw error;
    throw listenError("mcp --http", error);
  });
  try {
    if (json) await out.json({ ok: true, url: server.url });
    else await out.line(`serving ${server.url}`);
    await io.untilStopped();
  } finally {
    await server.close();
  }
}
