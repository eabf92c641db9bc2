import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HumanMessage } from "@langchain/core/messages";
import { logConversation, type Memory, mergeMemories, MongoMemoryStore } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { readAll } from "../../helpers/read-all.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { change as createOperation, learnWith } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });

const openFresh = (): Memory => store.memory(freshAddress());
const ada = { userId: "ada", runId: "run 1" };
const bob = { userId: "bob" };

async function readHistory(memory: Memory, path: string): Promise<unknown[]> {
  const { history } = memory;
  const versions = await readAll(history?.list({ path }) ?? []);
  return Promise.all(
    versions.toReversed().map(async ({ id, actor, operation }) => {
      const version = await history?.read(id);
      return [operation, actor?.userId, version?.content];
    }),
  );
}

describe("a merge of memories with a history", () => {
  it("brings each kept text of a file, by its author, also from before a rename", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.with({ actor: ada }).write("/draft", "one\n");
    await from.with({ actor: bob }).append("/draft", "two\n");
    await from.with({ actor: ada }).rename("/draft", "/note");
    await from.append("/note", "three");
    await mergeMemories(from, into.with({ actor: { client: "merge" } }));
    expect(await readHistory(into, "/note")).toEqual([
      ["created", "ada", "one\n"],
      ["modified", "bob", "one\ntwo\n"],
      ["modified", undefined, "one\ntwo\nthree"],
    ]);
    const blamed = await into.history?.blame("/note");
    expect(blamed?.map(({ version }) => version?.actor)).toEqual([
      { client: "merge", ...ada },
      { client: "merge", ...bob },
      { client: "merge" },
    ]);
  });

  it("brings what learnt texts rest on, without versions, whose ids are others there", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.with({ actor: ada }).write("/note", "I moved to Oslo.");
    const [one, two] = ["/profile/a", "/profile/b"].map((path) =>
      createOperation("write", path, { text: path, sources: ["s1", "s2"] }),
    );
    const edit = createOperation("append", "/profile/b", { text: "more", sources: ["s1"] });
    const messages = [new HumanMessage({ id: "m1", content: "I moved." })];
    await learnWith(from, [one, two], { messages, changes: true, apply: "append-only" });
    await learnWith(from, [edit], {
      messages: [new HumanMessage({ id: "m2", content: "And." })],
      apply: "append-only",
    });
    await mergeMemories(from, into);
    const versions = await readAll(into.history?.list({ path: "/profile" }) ?? []);
    expect(versions.map(({ path, sources, trust, actor }) => [path, sources, trust, actor?.client])).toEqual([
      ["/profile/b", ["message:m2"], "person", "learn"],
      ["/profile/b", ["message:m1"], "agent", "learn"],
      ["/profile/a", ["message:m1"], "agent", "learn"],
    ]);
  });

  it("brings nothing of an earlier file that was deleted, and no redacted text", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.write("/note", "secret of a deleted file");
    await from.delete("/note");
    await from.write("/note", "secret");
    await from.write("/note", "public");
    await from.history?.redact({ path: "/note" });
    await mergeMemories(from, into);
    expect(await readHistory(into, "/note")).toEqual([["created", undefined, "public"]]);
  });

  it("continues an earlier text of the same file in place of putting it beside", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.write("/note", "one");
    await mergeMemories(from, into);
    await from.with({ actor: bob }).append("/note", "two");
    const { files } = await mergeMemories(from, into);
    expect(files).toEqual([{ path: "/note", result: "updated" }]);
    expect(await readHistory(into, "/note")).toEqual([
      ["created", undefined, "one"],
      ["modified", "bob", "one\ntwo"],
    ]);
  });

  it("does not bring back a text that was merged before and has been changed since", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.write("/note", "one");
    await mergeMemories(from, into);
    await into.write("/note", "corrected");
    const { files } = await mergeMemories(from, into);
    expect(files).toEqual([{ path: "/note", result: "equal" }]);
    expect(await into.read("/note")).toBe("corrected");
  });

  it("lets a run be undone where it was merged", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.write("/note", "good");
    await from.with({ actor: ada }).write("/note", "poisoned");
    await mergeMemories(from, into);
    await into.history?.revert({ runId: "run 1" });
    expect(await into.read("/note")).toBe("good");
  });

  it("makes one log of the logs of a day, in which a thread goes on, and each run can be undone", async () => {
    const [from, into] = [openFresh(), openFresh()];
    const say = (memory: Memory, thread: string, hour: number, texts: string[]): Promise<number> => {
      const messages = texts.map((text) => new HumanMessage({ id: text, content: text }));
      const at = new Date(Date.UTC(2026, 4, 3, hour));
      return logConversation(memory.with({ actor: { runId: texts.at(-1) ?? "" } }), messages, { threadId: thread, at });
    };
    const readTexts = async (): Promise<unknown> =>
      (await into.read("/conversations/2026-05-03.md")).match(/(?<=^User: ).*/gm);
    await say(into, "new", 10, ["ten"]);
    await say(into, "newer", 20, ["twenty"]);
    await say(from, "old", 9, ["nine"]);
    await say(from, "old", 12, ["nine", "twelve"]);
    await say(from, "older", 15, ["fifteen"]);
    await mergeMemories(from, into);
    expect(await readTexts()).toEqual(["nine", "twelve", "ten", "fifteen", "twenty"]);
    expect(await say(into, "old", 21, ["nine", "twelve", "twenty-one"])).toBe(1);
    await into.history?.revert({ runId: "twelve" });
    expect(await readTexts()).toEqual(["nine", "twenty-one", "ten", "fifteen", "twenty"]);
    await into.history?.redact({ text: "nine", cut: true });
    await mergeMemories(from, into);
    expect(await readTexts()).not.toContain("nine");
  });

  it("keeps the text of a program that changes the file between two versions, and puts the other beside", async () => {
    const [from, into] = [openFresh(), openFresh()];
    await from.write("/note", "one");
    await from.append("/note", "two");
    const changed = new Proxy(into, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== "edit") return typeof value === "function" ? (value.bind(target) as unknown) : value;
        return async (path: string, change: (text: string) => string) => {
          if (path === "/note") await into.append(path, "mine");
          return into.edit(path, change);
        };
      },
    });
    const { files } = await mergeMemories(from, changed);
    expect(files).toEqual([{ path: "/note", result: "beside", to: "/note-merged" }]);
    const texts = await Promise.all(["/note", "/note-merged"].map((path) => into.read(path)));
    expect(texts).toEqual(["one\nmine", "one\ntwo"]);
  });

  it("reports how many proposals wait", async () => {
    const from = openFresh();
    await from.write("/a", "same");
    await from.write("/b", "same");
    const { tidy } = await import("../../../src/index.js");
    await tidy(from, { propose: true });
    expect((await mergeMemories(from, openFresh())).proposals).toBe(1);
  });
});

describe("a process that is killed in a merge", () => {
  const worker = compiled("__tests__/helpers/killed-merge-worker.ts");

  async function fill(from: Memory, into: Memory): Promise<void> {
    await from.with({ actor: ada }).write("/note", "one");
    await from.with({ actor: bob }).append("/note", "two");
    await from.write("/log", "old line");
    await from.write("/other", "old");
    await into.write("/log", "new line");
    await into.write("/other", "new");
  }

  it("leaves memories that the next merge finishes, with each version once", async () => {
    const step = isLong ? 1 : 9;
    let isDead = true;
    for (let number = 1; isDead; number += step) {
      const [from, into] = [openFresh(), openFresh()];
      await fill(from, into);
      const args = [worker, uri, dbName, from.address.nodeId, into.address.nodeId, String(number)];
      isDead = await promisify(execFile)(process.execPath, args).then(
        () => false,
        () => true,
      );
      await mergeMemories(from, into, { append: ["/log"] });
      const { files } = await into.snapshot();
      expect(Object.fromEntries(files.map(({ path, content }) => [path, content]))).toEqual({
        "/log": "new line\nold line",
        "/note": "one\ntwo",
        "/other": "new",
        "/other-merged": "old",
      });
      expect(await readHistory(into, "/note")).toEqual([
        ["created", "ada", "one"],
        ["modified", "bob", "one\ntwo"],
      ]);
      expect(await readAll(into.history?.list() ?? [])).toHaveLength(6);
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
