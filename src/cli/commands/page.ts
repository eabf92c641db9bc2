import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { type Command, Option } from "commander";
import type { CheckedAddress, MemoryAddress } from "../../core/values/address.js";
import { asHostname, isHost, isLoopback, loopbackNames } from "../../core/values/hostnames.js";
import type { Memory } from "../../core/memory.js";
import type { MemoryDatabase } from "../../mongodb/admin/memory-database.js";
import { checkForgotten, checkMemoryFilter } from "../../mongodb/admin/checks.js";
import type { MemoryPageNode } from "../../page/options.js";
import type { PageMemories } from "../../page/route.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { usageFault } from "../fault.js";
import { parsePort } from "../port.js";
import { assertThere } from "../targets/missing-memory.js";
import { addMountOption, type MountTarget, parseMount, withMounts } from "../targets/mount-options.js";
import { checkedAddressOf, withDatabase } from "../targets/open-target.js";
import { addDatabaseOptions, databaseOf, optionalAddress, type TargetOptions } from "../targets/target-options.js";

interface PageOptions extends TargetOptions {
  host: string;
  port: string;
  access: "read" | "write";
  open: boolean;
  json?: boolean;
}

export function addPage(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "page",
    "Show the memories of a database on a web page, and open it. It prints the address, which contains a token. It serves this machine only, until you end it.",
    [
      "page --db assistant",
      "page --access write --port 4000",
      "page --node assistant --mount /team=team-notes,access=read",
      "page --no-open --json",
    ],
  )
    .option("--host <name>", "the loopback address to listen on", "127.0.0.1")
    .option("--port <number>", "the port to listen on, 0 for any free one", "0")
    .addOption(
      new Option("--access <access>", "whether the page can also revert, redact, forget, approve and reject")
        .choices(["read", "write"])
        .default("read"),
    )
    .option("--no-open", "do not open the browser")
    .option(
      "--node <id>",
      "node id of the memory that is shown with what --mount mounts in it, and as its model sees it so",
    )
    .option("--thread <id>", "thread id, for the memory of that thread of the node")
    .option("--user <id>", "user id, for the memory of that user of the node");
  addMountOption(addDatabaseOptions(command)).action(async (options: PageOptions) => {
    const host = loopbackHost(options.host);
    const port = parsePort(options.port);
    const target = databaseOf(options, context.io.env);
    const tree = treeTarget(options);
    await withDatabase(target, async (database) => {
      const node = tree === null ? null : await nodeWithMounts(database, tree);
      await serve(await listenerOf(database, options.access, node), { host, port, options, context });
    });
  });
}

interface Listener {
  token: string;
  listener: Parameters<typeof createServer>[1];
}

interface TreeTarget {
  address: CheckedAddress;
  mounts: readonly MountTarget[];
}

/** Null where all memories are shown by themselves. @throws CommandFault EUSAGE */
function treeTarget(options: PageOptions): TreeTarget | null {
  const mounts = (options.mount ?? []).map(parseMount);
  const address = optionalAddress(options);
  if (address === undefined && mounts.length > 0)
    throw usageFault("--mount needs --node, the memory in which it mounts; pass both");
  if (address !== undefined && mounts.length === 0)
    throw usageFault("--node needs --mount, as the page shows all memories without it; pass both, or none");
  return address === undefined ? null : { address: checkedAddressOf(address), mounts };
}

interface TreeNode {
  address: CheckedAddress;
  node: MemoryPageNode;
}

/**
 * As a node of the application has its memory. @throws CommandFault for mounts that do not fit, and for memories that
 * are not there
 */
async function nodeWithMounts(database: MemoryDatabase, { address, mounts }: TreeTarget): Promise<TreeNode> {
  const open = (each: MemoryAddress): Memory => database.memory(each, "read");
  const tree = withMounts(open(address), mounts, open);
  for (const each of [address, ...mounts.map((mount) => mount.address)]) await assertThere(database, each);
  const { nodeId, scope } = address;
  return { address, node: { nodeId, scope, memory: () => tree, globalMemory: () => open({ nodeId }) } };
}

async function listenerOf(
  database: MemoryDatabase,
  access: "read" | "write",
  tree: TreeNode | null,
): Promise<Listener> {
  const [{ pageOver }, { nodeListener }] = await Promise.all([
    import("../../page/memory-page.js"),
    import("../../page/node-listener.js"),
  ]);
  const memories: PageMemories = {
    memory: (address, use) => database.memory(address, use),
    nodeOf: (address) => (tree !== null && isDeepStrictEqual(address, tree.address) ? tree.node : undefined),
    listMemories: (filter) => database.summaries(checkMemoryFilter(filter)),
    forget: (who) => database.forget(checkForgotten(who)),
  };
  const token = randomBytes(24).toString("base64url");
  return { token, listener: nodeListener(pageOver(memories, { access, token })) };
}

interface Serving {
  host: string;
  port: number;
  options: PageOptions;
  context: CliContext;
}

async function serve(
  { token, listener }: Listener,
  { host, port, options, context: { io, out } }: Serving,
): Promise<void> {
  const server = createServer(listener);
  server.listen(port, host.replaceAll(/[[\]]/g, ""));
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw usageFault(
      `page: ${code === "EADDRINUSE" ? "the port is in use" : "the address cannot be listened on"} (${code}); pass another --port or --host`,
      error,
    );
  }
  const url = `http://${host}:${(server.address() as AddressInfo).port}/#token=${token}`;
  const stopped = io.untilStopped();
  try {
    if (options.json === true) await out.json({ ok: true, url });
    else await out.line(`the page is at ${url}`);
    if (options.open) await io.openBrowser(url);
    await stopped;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** @throws CommandFault EUSAGE: without a login of its own, the page is for this machine only */
function loopbackHost(given: string): string {
  const hostname = isHost(given) ? asHostname(given) : "";
  if (isLoopback(hostname)) return hostname;
  const names = loopbackNames.join(", ");
  throw usageFault(
    `--host ${given}: the page listens on ${names} only; for others mount \`createMemoryPage\` with \`authorize\` in a server of yours`,
  );
}
