import { once } from "node:events";
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import type { MongoInstance } from "mongodb-memory-server";

export type ServerKind = "standalone" | "replicaSet";

const uriVariables = {
  standalone: "MEMORY_TEST_STANDALONE_URI",
  replicaSet: "MEMORY_TEST_REPLICA_SET_URI",
} satisfies Record<ServerKind, string>;

const replicaSetName = "rs0";
/** Only a mongod that hangs takes so long to start, even on a busy machine. */
const launchTimeout = 300_000;
/** Turns off figures for support engineers, which are otherwise gathered every second. */
const quiet = ["--setParameter", "diagnosticDataCollectionEnabled=false"];

/** Returns the URI of the shared server of this test run, which the global setup has started. */
export function serverUri(kind: ServerKind): string {
  const uri = process.env[uriVariables[kind]];
  if (uri === undefined) throw new Error(`${uriVariables[kind]} is not set: run the tests through npm test`);
  return uri;
}

/** Starts the two shared servers, and sets environment variables with their URIs, which test workers inherit. */
export async function startSharedServers(): Promise<() => Promise<void>> {
  const { MongoMemoryReplSet, MongoMemoryServer } = await memoryServer();
  const parent = await mkdtemp(join(await quickFolder(), "langgraph-mongo-memory-"));
  const optionsOf = async (kind: ServerKind) => {
    const dbPath = join(parent, kind);
    await mkdir(dbPath);
    return { dbPath, storageEngine: "wiredTiger", launchTimeout, args: quiet } as const;
  };
  const [standalone, replicaSet] = await Promise.all([
    MongoMemoryServer.create({ instance: await optionsOf("standalone") }),
    MongoMemoryReplSet.create({
      replSet: { count: 1, name: replicaSetName, storageEngine: "wiredTiger" },
      instanceOpts: [await optionsOf("replicaSet")],
    }),
  ]);
  process.env[uriVariables.standalone] = standalone.getUri();
  process.env[uriVariables.replicaSet] = replicaSet.getUri();
  return async () => {
    await Promise.all([standalone.stop(), replicaSet.stop()]);
    await rm(parent, { recursive: true, force: true });
  };
}

/**
 * Returns a folder in RAM if there is enough space, because every write waits for the disk. Only for data that no test
 * kills.
 */
export async function quickFolder(): Promise<string> {
  const inRam = "/dev/shm";
  const { bavail, bsize } = await statfs(inRam).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 4 * 2 ** 30 ? inRam : tmpdir();
}

/**
 * A mongod of one test only, for crashes and outages. It keeps its port and data after a restart. `kill -9`, pauses and
 * fail points on it disturb no other test.
 */
export class PrivateMongod {
  readonly kind: ServerKind;
  readonly port: number;
  readonly dbPath: string;
  readonly uri: string;
  readonly #instance: MongoInstance;

  private constructor(kind: ServerKind, port: number, dbPath: string, instance: MongoInstance) {
    this.kind = kind;
    this.port = port;
    this.dbPath = dbPath;
    this.uri = `mongodb://127.0.0.1:${port}/${kind === "replicaSet" ? `?replicaSet=${replicaSetName}` : ""}`;
    this.#instance = instance;
  }

  static async start(kind: ServerKind, options: { args?: string[]; auth?: boolean } = {}): Promise<PrivateMongod> {
    const { MongoInstance } = await memoryServer();
    const port = await freePort();
    const dbPath = await mkdtemp(join(tmpdir(), "langgraph-mongo-memory-"));
    const instance = new MongoInstance({
      instance: {
        port,
        dbPath,
        ip: "127.0.0.1",
        storageEngine: "wiredTiger",
        launchTimeout,
        auth: options.auth ?? false,
        // Test commands allow fail points such as failCommand. A socket file would outlive kill -9.
        args: [...quiet, "--setParameter", "enableTestCommands=1", "--nounixsocket", ...(options.args ?? [])],
        ...(kind === "replicaSet" ? { replSet: replicaSetName } : {}),
      },
    });
    const server = new PrivateMongod(kind, port, dbPath, instance);
    await server.restart();
    return server;
  }

  get pid(): number {
    const pid = this.#instance.mongodProcess?.pid;
    if (pid === undefined) throw new Error("this mongod is not running");
    return pid;
  }

  /** SIGKILL: no shutdown, no flush. */
  async kill(): Promise<void> {
    const closed = once(this.#instance, "instanceClosed");
    process.kill(this.pid, "SIGKILL");
    await closed;
    await this.#instance.stop();
  }

  /** Starts the server again on the same port and data, and waits until it accepts writes. */
  async restart(): Promise<void> {
    await this.#instance.start();
    await this.#untilWritable();
  }

  /**
   * SIGSTOP: connections stay open and nothing answers, as with a hung server. Clients notice only through their
   * `socketTimeoutMS` and `connectTimeoutMS`. Running threads stop a moment after the signal.
   */
  async pause(): Promise<void> {
    process.kill(this.pid, "SIGSTOP");
    await sleep(200);
  }

  resume(): void {
    process.kill(this.pid, "SIGCONT");
  }

  /** Ends the server for good in any state, and removes its data. */
  async stop(): Promise<void> {
    if (this.#instance.mongodProcess !== undefined) await this.kill();
    await rm(this.dbPath, { recursive: true, force: true });
  }

  async #untilWritable(): Promise<void> {
    const client = new MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`);
    try {
      const admin = client.db("admin");
      if (this.kind === "replicaSet") await initiateReplicaSet(client, this.port);
      for (const deadline = Date.now() + launchTimeout; ; await sleep(50)) {
        const hello = await admin.command({ hello: 1 });
        if (hello["isWritablePrimary"] === true) return;
        if (Date.now() > deadline) throw new Error("mongod took no writes");
      }
    } finally {
      await client.close();
    }
  }
}

async function initiateReplicaSet(client: MongoClient, port: number): Promise<void> {
  const alreadyInitialized = 23;
  const config = { _id: replicaSetName, members: [{ _id: 0, host: `127.0.0.1:${port}` }] };
  try {
    await client.db("admin").command({ replSetInitiate: config });
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    if (code !== alreadyInitialized) throw error;
  }
}

/**
 * Finds a port below the range from which the system gives ports to clients. Reason: a client that retries a closed
 * port of that range can get connected to itself, and a restart could find its port taken.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/**
 * Loads the library with the right binary. Late, so that test files which only use the shared servers need not wait.
 * The library's own search reads the environment before its options.
 */
async function memoryServer() {
  const { findMongod } = await import("./mongod-binary.js");
  process.env["MONGOMS_SYSTEM_BINARY"] = (await findMongod()).path;
  process.env["MONGOMS_SYSTEM_BINARY_VERSION_CHECK"] = "false";
  return import("mongodb-memory-server");
}
