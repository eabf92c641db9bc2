import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Memory, mergeMemories, MongoMemoryStore } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { readAll } from "../../helpers/read-all.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { change, learnWith } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });

const openFresh = (): Memory => store.memory(freshAddress());
const ada = { userId: "ada" };

async function readTexts(memory: Memory): Promise<Record<string, string>> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

describe("a merge of memories with a history", () => {
  it("writes the present text of a missing file, with its times, as one actor", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.with({ actor: ada }).write("/note", "one");
    await from.append("/note", "two");
    await mergeMemories(from, into.with({ actor: { client: "merge" } }));
    const versions = await readAll(into.history?.list() ?? []);
    expect(versions.map(({ operation, actor }) => [operation, actor])).toEqual([["created", { client: "merge" }]]);
    const [before, after] = await Promise.all([from.stat("/note"), into.stat("/note")]);
    expect(after).toEqual(before);
  });

  it("reports how many proposals wait", async () => {
    const from = openFresh();
    await from.write("/a", "same");
    await from.write("/b", "same");
    await learnWith(from, [change("write", "/profile/a", { text: "x" })]);
    expect((await mergeMemories(from, openFresh())).proposals).toBe(1);
  });
});

describe("a process that is killed in a merge", () => {
  const worker = compiled("__tests__/helpers/killed-merge-worker.ts");

  it("leaves memories that the next merge finishes, with each file once", async () => {
    const step = isLong ? 1 : 4;
    let isDead = true;
    for (let number = 1; isDead; number += step) {
      const [from, into] = [openFresh(), openFresh()];
      for (const path of ["/note", "/other"]) await from.write(path, "old");
      await into.write("/other", "new");
      const args = [worker, uri, dbName, from.address.nodeId, into.address.nodeId, String(number)];
      isDead = await promisify(execFile)(process.execPath, args).then(
        () => false,
        () => true,
      );
      await mergeMemories(from, into);
      expect(await readTexts(into)).toEqual({ "/note": "old", "/other": "new", "/other-merged": "old" });
      expect(await readAll(into.history?.list() ?? [])).toHaveLength(3);
      if (number === 1) expect(isDead).toBe(true);
    }
  });
});

it("a merge of many files keeps no texts of theirs", async () => {
  const count = repetitions({ usual: 300, long: 10_000 });
  const [from, into] = [openFresh(), openFresh()];
  const namespace = ["memory", from.address.nodeId, "global"];
  for (let start = 0; start < count; start += 100)
    await store.batch(
      Array.from({ length: 100 }, (_, index) => ({
        namespace,
        key: `/notes/${start + index}`,
        value: { content: `note ${start + index}` },
      })),
    );
  const { files } = await mergeMemories(from, into);
  expect(files).toHaveLength(count);
  expect(JSON.stringify(files)).not.toContain('"note 7"');
  expect((await into.snapshot()).files).toHaveLength(count);
});
