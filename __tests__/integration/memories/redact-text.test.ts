import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { logConversation, type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { refuses } from "../../helpers/memory-case.js";
import { getFailure } from "../../helpers/get-failure.js";
import { readAll } from "../../helpers/read-all.js";
import { getHistory } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";

const cover = "[redacted----]";

describe("a text that is redacted", () => {
  const { db, client, name: dbName } = testDatabase("standalone");
  const store = new MongoMemoryStore({ client, dbName, history: true });
  const openFresh = (): Memory => store.memory({ nodeId: randomUUID() });

  /** Every document of the database as the server stores it. */
  async function readStored(): Promise<string> {
    const collections = await db.listCollections({}, { nameOnly: true }).toArray();
    const documents = await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray()));
    return JSON.stringify(documents);
  }

  /** Each test has a secret of its own, because it looks for it in the whole database. */
  const createSecret = (): string => `sk-${randomUUID().slice(0, 11)}`;
  const isStored = async (text: string): Promise<boolean> => (await readStored()).includes(text);

  /** A key comes in version 2 and goes in version 5. */
  async function writeLeak(memory: Memory, secret: string): Promise<void> {
    await memory.write("/a", "first\nlast\n");
    await memory.write("/a", `first\nkey: ${secret}\nlast\n`);
    await memory.write("/a", `first\nkey: ${secret}\nmiddle\nlast\n`);
    await memory.append("/a", "more\n");
    await memory.update("/a", `key: ${secret}\n`, "");
  }

  it("stands in no document any more, and the rest of each version can be read", async () => {
    const secret = createSecret();
    const memory = openFresh().with({ actor: { userId: "ada" } });
    await writeLeak(memory, secret);
    const history = getHistory(memory);
    expect(await history.redact({ text: secret })).toBe(3);
    expect(await isStored(secret)).toBe(false);
    const versions = await Promise.all(["1", "2", "3", "4", "5"].map((id) => history.read(id)));
    expect(versions.map(({ content }) => content)).toEqual([
      "first\nlast\n",
      `first\nkey: ${cover}\nlast\n`,
      `first\nkey: ${cover}\nmiddle\nlast\n`,
      `first\nkey: ${cover}\nmiddle\nlast\nmore\n`,
      "first\nmiddle\nlast\nmore\n",
    ]);
    expect(versions.map(({ path, redactedBy, sha256 }) => [path, redactedBy?.userId, sha256 === null])).toEqual([
      ["/a", undefined, false],
      ["/a", "ada", true],
      ["/a", "ada", true],
      ["/a", "ada", true],
      ["/a", undefined, false],
    ]);
    expect((await history.at("3")).files).toMatchObject([{ content: versions[2]?.content }]);
    expect(await history.diff("4", "5")).toContain(`-key: ${cover}\n`);
    expect(await history.redact({ text: secret })).toBe(0);
  });

  it("leaves the lines that stay to the versions that wrote them", async () => {
    const secret = createSecret();
    const memory = openFresh();
    await writeLeak(memory, secret);
    await getHistory(memory).redact({ text: secret });
    const lines = await getHistory(memory).blame("/a");
    expect(lines.map(({ text, version }) => [text, version?.id])).toEqual([
      ["first", "1"],
      ["middle", "3"],
      ["last", "1"],
      ["more", "4"],
    ]);
  });

  it("is found in versions, proposals and files before anything is changed", async () => {
    const secret = createSecret();
    const memory = openFresh();
    const rules = [{ path: "/**", access: "ask" as const }];
    const node = new MemoryNode({ store, nodeId: memory.address.nodeId, rules, onAsk: "propose" });
    await writeLeak(memory, secret);
    await memory.write("/b", secret);
    await memory.write("/c", "plain");
    await node.memoryTools[0]?.invoke({ command: "append", path: "/c", content: secret });
    await node.memoryTools[0]?.invoke({ command: "append", path: "/c", content: "plain" });
    const [proposal] = await readAll(memory.proposals?.list() ?? []);
    const before = await readStored();
    const { versions, proposals, files } = await getHistory(memory).findText(secret);
    expect(versions.map(({ id, path }) => [id, path])).toEqual([
      ["6", "/b"],
      ["4", "/a"],
      ["3", "/a"],
      ["2", "/a"],
    ]);
    expect([proposals, files]).toEqual([[proposal?.id], ["/b"]]);
    expect(await readStored()).toBe(before);
  });

  it("goes from proposals, and those that wait are rejected", async () => {
    const secret = createSecret();
    const memory = openFresh();
    const rules = [{ path: "/**", access: "ask" as const }];
    const node = new MemoryNode({ store, nodeId: memory.address.nodeId, rules, onAsk: "propose" });
    await node.memoryTools[0]?.invoke({ command: "append", path: `/${secret}`, content: "one" });
    await node.memoryTools[0]?.invoke({ command: "append", path: "/a", content: `two ${secret}` });
    expect(await getHistory(memory).redact({ text: secret })).toBe(0);
    expect(await isStored(secret)).toBe(false);
    const rejected = await readAll(memory.proposals?.list({ status: "rejected" }) ?? []);
    expect(rejected.map(({ path, reason }) => [path, reason])).toEqual([
      ["", "redacted"],
      ["/a", "redacted"],
    ]);
  });

  it("is refused where a present file has it, and covered there if it may be cut", async () => {
    const secret = createSecret();
    const memory = openFresh();
    await memory.write("/a", `one ${secret}\ntwo`);
    await memory.write("/b", `${secret}${secret}`);
    const error = await getFailure(getHistory(memory).redact({ text: secret }));
    expect(error).toMatchObject({ code: "EINVAL", path: "/a" });
    expect(error).toMatchObject({ message: expect.stringContaining("/a and in 1 more file as it is now") });
    expect(await getHistory(memory).redact({ text: secret, cut: true })).toBe(2);
    expect(await isStored(secret)).toBe(false);
    expect([await memory.read("/a"), await memory.read("/b")]).toEqual([`one ${cover}\ntwo`, `${cover}${cover}`]);
    expect((await getHistory(memory).blame("/a")).map(({ version }) => version?.id)).toEqual(["1", "1"]);
  });

  it("is refused where a present path has it, in words that do not repeat it", async () => {
    const secret = createSecret();
    const memory = openFresh();
    await memory.write(`/${secret}/a`, "text");
    await memory.write("/b", secret);
    const error = await getFailure(getHistory(memory).redact({ text: secret, cut: true }));
    expect(error).toMatchObject({ code: "EINVAL", message: expect.stringMatching(/rename or delete it first/) });
    expect(String(error)).not.toContain(secret);
    expect(await memory.read("/b")).toBe(secret);
  });

  it("goes from former paths of files and directories", async () => {
    const secret = createSecret();
    const memory = openFresh();
    await memory.write(`/${secret}/a`, "text");
    await memory.append(`/${secret}/a`, "more");
    await memory.rename(`/${secret}`, "/plain");
    await memory.delete("/plain/a");
    await memory.rename("/plain", `/${secret} empty`);
    await memory.delete(`/${secret} empty`);
    const history = getHistory(memory);
    expect(await history.redact({ text: secret })).toBe(3);
    expect(await isStored(secret)).toBe(false);
    const versions = await readAll(history.list());
    expect(versions.map(({ path, from, operation }) => [operation, path, from])).toEqual([
      ["deleted", "/plain/a", undefined],
      ["renamed", "/plain/a", undefined],
      ["modified", "", undefined],
      ["created", "", undefined],
    ]);
    expect((await history.read("2")).content).toBe("text\nmore");
  });

  it("goes for good, whatever others write, revert and redact at the same time", async () => {
    const secret = createSecret();
    const memory = openFresh();
    const history = getHistory(memory);
    await writeLeak(memory, secret);
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => memory.write(`/other ${index % 3}`, `${index}`)),
      history.redact({ text: secret, cut: true }),
      history.redact({ text: secret, cut: true }),
      history.redact({ text: "middle", cut: true }),
      history.revert({ path: "/a", to: "1" }),
    ]);
    expect(await isStored(secret)).toBe(false);
    expect((await history.read("4")).content).toBe(`first\nkey: ${cover}\n------\nlast\nmore\n`);
  });

  it("is found in a log as it was said, in several lines", async () => {
    const secret = createSecret();
    const memory = openFresh();
    const history = getHistory(memory);
    const said = `one ${secret}\r\ntwo ${secret}\n\n## 10:00 ${secret}`;
    const at = new Date("2026-03-04T09:05:00Z");
    await logConversation(memory, [["user", said]], { at, threadId: "t" });
    await logConversation(memory, [["user", "more"]], { at, threadId: "t" });
    await memory.write("/plain", said.replaceAll("\r\n", "\n"));
    await memory.delete("/plain");
    const { versions, files } = await history.findText(said);
    const log = "/conversations/2026-03-04/t.md";
    expect([versions.map(({ id }) => id), files]).toEqual([["3", "2", "1"], [log]]);
    expect(await getFailure(history.redact({ text: said }))).toMatchObject({ code: "EINVAL", path: log });
    expect((await history.read("3")).content).toContain(secret);
    expect(await history.redact({ text: said, cut: true })).toBe(3);
    expect(await isStored(secret)).toBe(false);
    expect(await memory.read(log)).toMatch(/^## 09:05\nUser: \[redacted-+\]\n\^\w+\n## 09:05\nUser: more\n/);
  });

  it("goes with either line end from versions and proposals", async () => {
    const secret = createSecret();
    const memory = openFresh();
    const rules = [{ path: "/**", access: "ask" as const }];
    const node = new MemoryNode({ store, nodeId: memory.address.nodeId, rules, onAsk: "propose" });
    await memory.write("/a", `begin\r\n${secret}\r\nend\r\n`);
    await memory.write("/a", "plain");
    await node.memoryTools[0]?.invoke({ command: "append", path: "/b", content: `begin\n${secret}\nend` });
    const history = getHistory(memory);
    expect((await history.findText(`begin\r\n${secret}\r\nend`)).proposals).toHaveLength(1);
    expect(await history.redact({ text: `begin\n${secret}\nend` })).toBe(1);
    expect(await isStored(secret)).toBe(false);
    expect((await history.read("1")).content).toMatch(/^\[redacted-+\]\r\n$/);
  });

  it("may only be redacted where the files may be changed", async () => {
    const secret = createSecret();
    const memory = openFresh();
    await writeLeak(memory, secret);
    const rules = [{ path: "/a", access: "read" as const }];
    const bound = new MemoryNode({ store, nodeId: memory.address.nodeId, rules }).memory();
    await refuses(getHistory(bound).redact({ text: secret }), "EACCES");
    expect((await getHistory(memory).read("2")).content).toContain(secret);
  });

  it("is a text of 1 to 1,000,000 characters of well-formed Unicode", async () => {
    const history = getHistory(openFresh());
    for (const text of ["", "x".repeat(1_000_001), "\ud83d", 1 as unknown as string]) {
      await expect(history.redact({ text })).rejects.toThrow(TypeError);
      await expect(history.findText(text)).rejects.toThrow(TypeError);
    }
    await expect(history.findText("")).rejects.toThrow("invalid RedactedText: text: must not be empty");
    expect(await history.redact({ text: "x" })).toBe(0);
  });

  it("is said to be redacted in a blame, where the earlier versions of the file were redacted", async () => {
    const memory = openFresh();
    await memory.write("/a", "one\n");
    await memory.append("/a", "two\n");
    await memory.append("/a", "three\n");
    await memory.write("/a", "one\nthree\nfour\n");
    await getHistory(memory).redact({ path: "/a" });
    const lines = await getHistory(memory).blame("/a");
    expect(lines.map(({ text, version, redacted }) => [text, version?.id, redacted])).toEqual([
      ["one", undefined, true],
      ["three", undefined, true],
      ["four", undefined, true],
    ]);
  });
});
