import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface DevServer {
  url: string;
  /** The id of the first process, which leads the group of all processes. */
  pid: number;
  stop: () => Promise<void>;
}

const startMs = 180_000;
const stopMs = 30_000;

/**
 * Starts `langgraphjs dev` on a free port and waits until it answers. The server watches the sources that it loads:
 * saving one of them restarts the server and ends the current runs.
 *
 * @param directory where the server keeps its state. The server keeps it next to its `langgraph.json`, so a copy of
 * `configFile` is written to this directory.
 * @param variables environment variables, in addition to those of this process.
 */
export async function startDevServer(
  configFile: string,
  directory: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<DevServer> {
  const config = JSON.parse(await readFile(configFile, "utf8")) as {
    graphs: Record<string, string>;
    auth?: { path: string };
  };
  const moved = (path: string): string => relative(directory, resolve(dirname(configFile), path));
  const graphs = Object.entries(config.graphs).map(([id, path]) => [id, moved(path)]);
  const auth = config.auth && { auth: { ...config.auth, path: moved(config.auth.path) } };
  await writeFile(
    join(directory, "langgraph.json"),
    JSON.stringify({ ...config, ...auth, graphs: Object.fromEntries(graphs) }),
  );

  const port = String(await freePort());
  const cli = createRequire(import.meta.url).resolve("@langchain/langgraph-cli/dist/cli/cli.mjs");
  const args = [cli, "dev", "--no-browser", "--host", "127.0.0.1", "--port", port, "--config", directory];
  // Sends no usage figures and no traces. The server gets its own process group, because it runs below a watcher.
  const env = { ...process.env, LANGGRAPH_CLI_NO_ANALYTICS: "1", LANGSMITH_TRACING: "false", ...variables };
  const server = spawn(process.execPath, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  await once(server, "spawn");
  const pid = server.pid ?? Number.NaN;
  let log = "";
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (log += text));
  // Ends the server if this process ends early. After a signal alone, there would be no "exit".
  const kill = (): boolean => signal(-pid, "SIGKILL");
  const end = (): void => process.exit(1);
  process.on("exit", kill).on("SIGINT", end).on("SIGTERM", end);

  const stop = async (): Promise<void> => {
    // The first process ends the others. The server ends after it has written its state.
    signal(pid, "SIGTERM");
    if (!(await holds(() => !signal(-pid, 0), stopMs))) kill();
    process.off("exit", kill).off("SIGINT", end).off("SIGTERM", end);
  };
  const url = `http://127.0.0.1:${port}`;
  // A server with an authentication handler answers 401 to a request without a user.
  const answers = async (): Promise<boolean> =>
    [200, 401].includes((await fetch(`${url}/ok`).catch(() => null))?.status ?? 0);
  if (await holds(answers, startMs)) return { url, pid, stop };
  await stop();
  throw new Error(`the server did not start:\n${log}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Whether there was a process to signal. `0` only checks. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function holds(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(100)) if (await condition()) return true;
  return false;
}
