import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The server of a connection string with a port of this machine, as if it were so far away. */
export async function atDistance<T>(uri: string, delayMs: number, run: (uri: string) => Promise<T>): Promise<T> {
  const { port } = new URL(uri);
  const proxy = fork(fileURLToPath(new URL("delaying-proxy.ts", import.meta.url)), [port, String(delayMs)]);
  try {
    const [proxyPort] = (await once(proxy, "message")) as [number];
    return await run(uri.replace(`:${port}`, `:${proxyPort}`));
  } finally {
    proxy.disconnect();
    await once(proxy, "exit");
  }
}
