import { expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MemoryError, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { isLong } from "../../helpers/repetitions.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { privateMongod } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

it.each<ServerKind>(isLong ? ["replicaSet", "standalone"] : ["replicaSet"])(
  "every append that a %s acknowledged is there exactly once after kill -9 and a restart",
  async (kind) => {
    const mongod = await privateMongod(kind);
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 500 }));
    const memory = new MongoMemoryStore({ client, dbName: "crash" }).memory(freshAddress());
    await untilAnswers(memory);
    const acknowledged: string[] = [];
    const failed: unknown[] = [];

    for (let crash = 0; crash < 2; crash += 1) {
      const stopped = new AbortController();
      const appender = async (writer: number): Promise<void> => {
        for (let index = 0; !stopped.signal.aborted; index += 1) {
          const line = `crash ${crash} writer ${writer} line ${index}`;
          try {
            await memory.append("/log", line);
            acknowledged.push(line);
          } catch (error) {
            failed.push(error);
          }
        }
      };
      const appenders = [0, 1, 2, 3].map(appender);
      const before = acknowledged.length;
      while (acknowledged.length < before + 200) await new Promise((resolve) => setTimeout(resolve, 5));
      await mongod.kill();
      stopped.abort();
      await Promise.all(appenders);
      await mongod.restart();
    }

    await untilAnswers(memory);
    const lines = (await memory.read("/log")).split("\n");
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toEqual(expect.arrayContaining(acknowledged));
    expect(acknowledged.length).toBeGreaterThanOrEqual(400);
    expect(failed.length).toBeGreaterThan(0);
    for (const error of failed) {
      expect(MemoryError.isInstance(error) && error.code).toBe("EIO");
      expect(String(error)).toContain("the outcome is unknown");
    }
  },
);
