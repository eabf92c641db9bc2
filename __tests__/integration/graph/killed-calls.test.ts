import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { isToolMessage } from "@langchain/core/messages";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { compiled } from "../../helpers/compiled-sources.js";
import type { DialectCall, DialectUnderTest } from "../../helpers/dialect-suite.js";
import { dialectsUnderTest } from "../../helpers/dialects-under-test.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { createPersistentAgent } from "../../helpers/persistent-agent.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const rounds = repetitions({ usual: 1, long: 3 });
const kinds: ServerKind[] = isLong ? ["replicaSet", "standalone"] : ["replicaSet"];
const dialects = await dialectsUnderTest();

/** The calls that change something: in the usual run one of each dialect. */
const usualCommands = ["append", "insert", "memory_write", "add_memory"];

async function examine(memory: Memory): Promise<object> {
  const { files } = await memory.snapshot();
  const texts = files
    .filter(({ path }) => !path.startsWith("/.journal/"))
    .map(({ path, content }) => [path, content.replaceAll(/at=\S+/g, "")]);
  const versions: string[] = [];
  for await (const { path, operation } of memory.history?.list() ?? [])
    if (!path.startsWith("/.journal/")) versions.push(`${operation} ${path}`);
  return { texts, versions };
}

describe.each(kinds)("a process that is killed between a change and its answer, on a %s", (kind) => {
  const { client, name: dbName, uri } = testDatabase(kind);
  const store = new MongoMemoryStore({ client, dbName, history: true });

  async function openAfter(calls: readonly DialectCall[], { tools }: DialectUnderTest): Promise<Memory> {
    const memory = store.memory(freshAddress());
    for (const { tool: name, args } of calls) {
      const called = tools(memory).find((tool) => tool.name === name);
      await called?.invoke(args);
    }
    return memory;
  }

  it.each(
    dialects.flatMap(([name, dialect]) =>
      Object.entries(dialect.commands)
        .filter(([command]) => isLong || usualCommands.includes(command))
        .map(([command, call]) => ({ name, command, dialect, call })),
    ),
  )("has made $command of $name once when another process resumes its run", async ({ name, dialect, call }) => {
    const expected = await openAfter([...dialect.prepare, call], dialect);
    for (let round = 0; round < rounds; round += 1)
      for (let change = 1; ; change += 1) {
        const memory = await openAfter(dialect.prepare, dialect);
        const thread_id = `${memory.address.nodeId} ${change}`;
        const args = [uri, dbName, memory.address.nodeId, thread_id, name, JSON.stringify(call), String(change)];
        const worker = spawn(process.execPath, [compiled("__tests__/helpers/killed-call-worker.ts"), ...args], {
          stdio: ["ignore", "inherit", "inherit"],
        });
        const [code, signal] = (await once(worker, "exit")) as [number | null, string | null];
        if (signal === null) {
          expect(code).toBe(0);
          expect(isLong || change > 1).toBe(true);
          break;
        }
        const agent = createPersistentAgent(client, dbName, memory, { dialect: name, call });
        const { messages } = await agent.invoke(null, { configurable: { thread_id } });
        const answers = messages.filter(isToolMessage).map(({ text }) => dialect.outcomeOf(text));
        expect(answers).toEqual(["ok"]);
        expect(await examine(memory)).toEqual(await examine(expected));
      }
  });
});
