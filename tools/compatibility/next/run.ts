import { equal, match } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, PrivateMongod, quickFolder } from "../../../__tests__/helpers/mongo-servers.js";
import { pack } from "../../../__tests__/helpers/packed-package.js";
import { runCommand } from "../../run-command.js";

/*
 * The page in a real Next.js application, built and started from the packed package. Next.js takes 340 MB and a minute,
 * so this is no part of CI; there, a stand-in does to an answer what Next.js does.
 */

const token = "token-of-this-check";

await access("dist").catch(() => {
  throw new Error("there is no dist: run `npm run build` first");
});
const folder = await mkdtemp(join(await quickFolder(), "next-"));
const mongod = await PrivateMongod.start("standalone");
let server: ChildProcess | undefined;
try {
  await makeApplication(await pack(folder));
  const next = join(folder, "node_modules/.bin/next");
  const env = { ...process.env, MONGODB_URI: mongod.uri, NEXT_TELEMETRY_DISABLED: "1" };
  await runCommand(next, ["build"], { cwd: folder, env });
  console.log("ok: next build");
  const port = await freePort();
  server = spawn(next, ["start", "-p", String(port), "-H", "127.0.0.1"], { cwd: folder, env, stdio: "inherit" });
  await checkPage(`http://127.0.0.1:${port}`);
  console.log("ok: the page in Next.js");
} finally {
  if (server?.exitCode === null) {
    server.kill();
    await once(server, "close");
  }
  await mongod.stop();
  await rm(folder, { recursive: true, force: true });
}

async function makeApplication(tarball: string): Promise<void> {
  const dependencies = {
    next: "^16.0.0",
    react: "^19.0.0",
    "react-dom": "^19.0.0",
    mongodb: "^7.0.0",
    "langgraph-mongo-memory": `file:${tarball}`,
  };
  const peers = {
    "@langchain/core": "^1.4.0",
    "@langchain/langgraph": "^1.7.3",
    "@langchain/langgraph-checkpoint": "^1.2.2",
    zod: "^4.2.0",
  };
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies: { ...dependencies, ...peers } }),
  );
  const route = join(folder, "app/memory/[[...path]]");
  await mkdir(route, { recursive: true });
  await writeFile(
    join(folder, "app/layout.js"),
    "export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n",
  );
  await writeFile(join(folder, "app/page.js"), "export default function Page() { return <p>An application.</p>; }\n");
  await writeFile(
    join(route, "route.js"),
    `import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createMemoryPage } from "langgraph-mongo-memory/page";

export const dynamic = "force-dynamic";
const store = new MongoMemoryStore({ client: new MongoClient(process.env.MONGODB_URI ?? "mongodb://127.0.0.1"), dbName: "next" });
const page = createMemoryPage({ store, basePath: "/memory", access: "write", token: "${token}" });
export { page as GET, page as POST };
`,
  );
  await runCommand("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
}

async function checkPage(origin: string): Promise<void> {
  const headers = { "memory-page-token": token };
  const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${origin}/memory${path}`, init);
  const document = await untilAnswers(() => ask(""));
  match(await document.text(), /src="\/memory\/client\.js"/);
  match(document.headers.get("content-security-policy") ?? "", /'self'/);
  match(await (await ask("/client.js")).text(), /memory-page-token/);
  equal((await ask("/api/memories")).status, 401);
  equal((await ask("/api/memories", { headers })).status, 200);
  const forget = (from: string): Promise<Response> =>
    ask("/api/forget", {
      method: "POST",
      headers: { ...headers, origin: from, "content-type": "application/json" },
      body: JSON.stringify({ nodeId: "nobody" }),
    });
  equal((await forget(origin)).status, 200);
  equal((await forget("http://evil.example")).status, 403);
  equal((await ask("/api/changes?view=memory&nodeId=nobody", { headers })).status, 200);
}

async function untilAnswers(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    if (server?.exitCode !== null) throw new Error("next start has ended");
    await sleep(100);
  }
}
