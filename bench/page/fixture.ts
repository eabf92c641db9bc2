import type { MongoClient } from "mongodb";
import { documentOf } from "../memories/fixture.js";
import type { builtPackage } from "../package/built-package.js";

export type Store = InstanceType<Awaited<ReturnType<typeof builtPackage>>["MongoMemoryStore"]>;

/** 1,000 memories are listed; this one has 10,000 files in one directory. */
export const bigMemory = { nodeId: "big", scope: "global" } as const;
/** A file of 200 lines with 200 versions. */
export const busyMemory = { nodeId: "busy", scope: "global" } as const;

export const lines = Array.from(
  { length: 200 },
  (_, index) => `line ${index}: the quick brown fox jumps over the lazy dog`,
);

export async function fillDatabase(client: MongoClient, dbName: string, store: Store): Promise<void> {
  for (let user = 0; user < 998; user += 50) {
    await Promise.all(
      Array.from({ length: Math.min(50, 998 - user) }, (_, index) =>
        store
          .memory({ nodeId: `assistant-${user % 7}`, scope: "perUser", userId: `user-${user + index}` })
          .write("/profile", "Likes tea.\n"),
      ),
    );
  }
  const paths = Array.from({ length: 10_000 }, (_, index) => `/file-${String(index).padStart(5, "0")}`);
  await client
    .db(dbName)
    .collection("memories")
    .insertOne({ ...documentOf({ paths, fileCount: paths.length }, new Date()), ...bigMemory });
  const busy = store
    .memory(busyMemory)
    .with({ actor: { userId: "ada", threadId: "thread", runId: "run", node: "tools" } });
  for (let version = 0; version < 200; version += 1) await busy.write("/log", lines.slice(0, version + 1).join("\n"));
}
