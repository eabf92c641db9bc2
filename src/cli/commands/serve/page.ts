import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { Option } from "commander";
import { asHostname, isHost, isLoopback, isOrigin, loopbackNames, originRule } from "../../../core/values/hostnames.js";
import { checkForgotten, checkMemoryFilter, checkProposalFilter } from "../../../mongodb/admin/checks.js";
import type { MemoryDatabase } from "../../../mongodb/admin/memory-database.js";
import { createCommand } from "../../command.js";
import { listenError, portOption } from "./listening.js";
import type { CliContext } from "../../context.js";
import { usageError } from "../../errors.js";
import { withDatabase } from "../../targets/open-target.js";
import { databaseOptions, getDatabaseTarget, type TargetOptions } from "../../targets/target-options.js";

interface PageOptions extends TargetOptions {
  host: string;
  port: number;
  access: "read" | "write";
  publicOrigin?: string;
}

export const page = createCommand<PageOptions>({
  usage: "page",
  description:
    "Show the memories of a database on a web page. It prints the address, which contains a token. It serves this " +
    "machine only, until you end it.",
  examples: ["page --db assistant", "page --access write --port 4000", "page --json"],
  options: [
    new Option("--host <name>", "the loopback address to listen on").default("127.0.0.1").argParser(parseLoopback),
    portOption("the port to listen on, 0 for any free one").default(0),
    new Option("--access <access>", "whether the page can also edit files, revert, redact, forget, approve and reject")
      .choices(["read", "write"])
      .default("read"),
    new Option(
      "--public-origin <origin>",
      "the origin in the browser, if a proxy serves the page under another one",
    ).argParser(parseOrigin),
    ...databaseOptions,
  ],
  run: async (input, context) => {
    const target = getDatabaseTarget(input, context.io.env);
    await withDatabase(target, async (database) => {
      const token = randomBytes(24).toString("base64url");
      const listener = await createListener(database, {
        access: input.access,
        publicOrigin: input.publicOrigin,
        token,
      });
      await serve(listener, token, input, context);
    });
    return undefined;
  },
});

async function createListener(
  database: MemoryDatabase,
  options: { access: "read" | "write"; publicOrigin: string | undefined; token: string },
): Promise<RequestListener> {
  const { pageOver } = await import("../../../page/memory-page.js");
  const memories: Parameters<typeof pageOver>[0] = {
    place: database.place,
    memory: (address, use) => database.memory(address, use),
    nodeOf: () => undefined,
    listMemories: (filter) => database.summaries(checkMemoryFilter(filter)),
    listProposals: (filter) => database.proposals(checkProposalFilter(filter)),
    forget: (who) => database.forget(checkForgotten(who)),
  };
  return pageOver(memories, options).nodeListener;
}

async function serve(
  listener: RequestListener,
  token: string,
  { host, port, json, publicOrigin }: PageOptions,
  { io, out }: CliContext,
): Promise<void> {
  const server = createServer(listener);
  server.listen(port, host.replaceAll(/[[\]]/g, ""));
  await once(server, "listening").catch((error: unknown) => {
    throw listenError("page", error);
  });
  // The server listens on a port, so the address is not a text.
  const { port: chosenPort } = server.address() as AddressInfo;
  const url = `${publicOrigin ?? `http://${host}:${chosenPort}`}/#token=${token}`;
  const stopped = io.untilStopped();
  try {
    if (json === true) await out.json({ ok: true, url });
    else await out.line(`the page is at ${url}`);
    await stopped;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Accepts only loopback hosts: the page has no login, so it serves only this machine. @throws CommandError EUSAGE */
function parseLoopback(given: string): string {
  const hostname = isHost(given) ? asHostname(given) : "";
  if (isLoopback(hostname)) return hostname;
  throw usageError(
    `--host ${given}: the page listens on ${loopbackNames.join(", ")} only; for others mount \`createMemoryPage\` ` +
      `with \`authorize\` in a server of yours`,
  );
}

/** @throws CommandError EUSAGE */
function parseOrigin(given: string): string {
  if (isOrigin(given)) return given;
  throw usageError(`--public-origin ${given}: pass ${originRule}`);
}
