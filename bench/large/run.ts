import { randomUUID } from "node:crypto";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { machineLine } from "../measuring/report.js";
import { inDatabase, onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { measureLargeMemory } from "./commands.js";
import { fileBytes, measureGrowth, writers } from "./growth.js";

/** One memory that grows to many files, and commands in it. */
export function measureLarge({ largeFileCount }: Settings): Promise<string[]> {
  return onServer("replicaSet", async (uri) => {
    const machine = await machineLine(uri);
    return inDatabase(uri, {}, async (client, dbName) => {
      const nodeId = randomUUID();
      const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId });
      const reader = new MongoMemoryStore({ client, dbName }).memory({ nodeId });
      const growth = await measureGrowth(memory, reader, largeFileCount);
      const commands = await measureLargeMemory(client, dbName, nodeId, largeFileCount);
      return [
        machine,
        "",
        `### Growth: ${writers} writers, files of ${fileBytes} bytes, a reader that takes snapshots`,
        "",
        ...growth,
        "",
        `### Commands in a memory of ${largeFileCount} files`,
        "",
        ...commands,
      ];
    });
  });
}
