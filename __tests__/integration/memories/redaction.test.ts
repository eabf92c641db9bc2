import { describe, expect, it } from "@jest/globals";
import { createHash, randomUUID } from "node:crypto";
import { logConversation, type Memory, MemoryError, MongoMemoryStore } from "../../../src/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import fc from "../../helpers/fast-check.js";
import { findStored } from "../../helpers/find-stored.js";
import { getFailure } from "../../helpers/get-failure.js";
import { createAskingNode, propose as proposeBy } from "../../helpers/proposals.js";
import { readAll } from "../../helpers/read-all.js";
import { repetitions } from "../../helpers/repetitions.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";

const ada = { by: { userId: "ada" } };

const { db, client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const openFresh = (): Memory => store.memory({ nodeId: randomUUID() });
const createSecret = (): string => `sk-${randomUUID().slice(0, 11)}`;

/** Proposes a change as an agent, by the unified tool. @returns the id of the proposal */
const propose = (memory: Memory, args: Record<string, string>): Promise<string> =>
  proposeBy(createAskingNode(store, memory.address), args);

async function proposeRename(memory: Memory, from: string, to: string): Promise<string> {
  const paths = { old_path: `/memories${from}`, new_path: `/memories${to}` };
  const node = createAskingNode(store, memory.address);
  const answer = String(await createClaudeMemoryTool(node).invoke({ command: "rename", ...paths }));
  return /[0-9a-f]{24}/.exec(answer)?.[0] ?? "no id";
}

const append = (memory: Memory, path: string, content: string): Promise<string> =>
  propose(memory, { command: "append", path, content });

const isStored = async (text: string): Promise<boolean> => (await findStored(db, text)).length > 0;

const cover = "[redacted----]";

describe("a text that is redacted", () => {
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
    await writeLeak(memory, secret);
    await memory.write("/b", secret);
    await memory.write("/c", "plain");
    const proposal = await append(memory, "/c", secret);
    await append(memory, "/c", "plain");
    const { versions, proposals, files } = await getHistory(memory).findText(secret);
    expect(versions.map(({ id, path }) => [id, path])).toEqual([
      ["6", "/b"],
      ["4", "/a"],
      ["3", "/a"],
      ["2", "/a"],
    ]);
    expect([proposals, files]).toEqual([[proposal], ["/b"]]);
    expect((await getHistory(memory).read("2")).content).toContain(secret);
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

describe("the redaction of a text", () => {
  it("covers it in the names of actors, and leaves their ids", async () => {
    const secret = createSecret();
    const memory = openFresh();
    const actor = { userId: "ada", client: `tool of ${secret}`, agent: secret };
    await memory.with({ actor }).write("/d/a", "one");
    await memory.with({ actor }).rename("/d", "/e");
    await memory.write("/e/a", "two");
    const ids = [await append(memory, "/b", "one"), await append(memory, "/c", "one")];
    await getProposals(memory).approve(ids[0] ?? "", { by: { userId: "ada", client: secret } });
    await getProposals(memory).reject(ids[1] ?? "", { by: { userId: "ada", agent: secret }, reason: `not ${secret}` });
    const found = await getHistory(memory).findText(secret);
    expect(found).toMatchObject({ versions: [{ id: "2" }, { id: "1" }], proposals: ids, files: [] });
    expect(await getHistory(memory.with({ actor })).redact({ text: secret })).toBe(2);
    expect(await isStored(secret)).toBe(false);
    const versions = (await readAll(getHistory(memory).list())).toReversed();
    expect(versions[0]).toMatchObject({
      actor: { userId: "ada", agent: "[redacted----]" },
      sha256: expect.any(String),
    });
    expect((await getHistory(memory).read("1")).content).toBe("one");
    expect(await getProposals(memory).get(ids[0] ?? "")).toMatchObject({
      content: "one",
      decidedBy: { userId: "ada" },
    });
    expect(await getHistory(memory).redact({ text: secret })).toBe(0);
  });

  it("leaves no digest from which a short text can be guessed", async () => {
    const pin = "4711";
    const memory = openFresh();
    await memory.write("/d/pin", pin);
    await memory.write("/other/a", "plain");
    await append(memory, "/d/pin", "changed");
    const ids = [
      await propose(memory, { command: "delete", path: "/d" }),
      await propose(memory, { command: "delete", path: "/d/pin" }),
      await proposeRename(memory, "/d", "/e"),
      await proposeRename(memory, "/d/pin", "/f"),
    ];
    const fine = await proposeRename(memory, "/other", "/e");
    await memory.write("/d/pin", "none");
    ids.push(await propose(memory, { command: "delete", path: "/d" }));
    await getHistory(memory).redact({ text: pin });
    const stored = JSON.stringify([
      await db.collection("memories").find().toArray(),
      await db.collection("memories_versions").find().toArray(),
      await db.collection("memories_proposals").find().toArray(),
    ]);
    const guessed = Array.from({ length: 10_000 }, (_, guess) => String(guess).padStart(4, "0")).filter((guess) => {
      const texts = [guess, JSON.stringify(guess)];
      for (const to of [true, false])
        for (const path of ["/d/pin", "/pin"])
          texts.push(JSON.stringify([[[path, guess]], [], to]), JSON.stringify([[[path, guess]], ["/d"], to]));
      return texts.some((text) => stored.includes(createHash("sha256").update(text).digest("hex")));
    });
    expect(guessed).toEqual([]);
    for (const id of ids)
      expect(await getProposals(memory).get(id)).toMatchObject({ status: "rejected", reason: "redacted", base: "" });
    // It concerns no redacted file.
    await getProposals(memory).approve(fine, ada);
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/d/pin", "/e/a"]);
  });

  it.each(["redacted", "e", "["])(
    "finds nothing twice, also of %p, which stands in covers and reasons",
    async (text) => {
      const secret = createSecret();
      const memory = openFresh();
      await memory.write("/x", `key: ${secret}`);
      await memory.write("/x", "plain");
      const id = await append(memory, "/y", `key: ${secret}`);
      await getHistory(memory).redact({ text: secret });
      expect(await getProposals(memory).get(id)).toMatchObject({ status: "rejected", reason: "redacted", diff: "" });
      await getHistory(memory).redact({ text });
      expect((await getHistory(memory).findText(text)).proposals).toEqual([]);
      expect(await getHistory(memory).redact({ text })).toBe(0);
    },
  );
});

describe("the redaction of a path", () => {
  it("takes the texts of the proposals for the file, and of no others", async () => {
    const memory = openFresh();
    await memory.write("/x", "a");
    const own = [await append(memory, "/x", "new"), await propose(memory, { command: "delete", path: "/x" })];
    await memory.write("/x", "b");
    own.push(await propose(memory, { command: "update", path: "/x", oldContent: "b", content: "a" }));
    const others = [await append(memory, "/y", "a"), await append(memory, "/a", "has an a")];
    await getHistory(memory).redact({ path: "/x" });
    for (const id of own)
      expect(await getProposals(memory).get(id)).toMatchObject({
        status: "rejected",
        content: null,
        path: "",
        base: "",
      });
    for (const id of others) expect((await getProposals(memory).get(id))?.status).toBe("pending");
  });

  it("rejects waiting deletes and renames of directories above it", async () => {
    const memory = openFresh();
    await memory.write("/d/x", "a");
    await memory.write("/other/y", "a");
    const above = [await propose(memory, { command: "delete", path: "/d" }), await proposeRename(memory, "/d", "/e")];
    const fine = await propose(memory, { command: "delete", path: "/other" });
    await memory.write("/d/x", "b");
    await getHistory(memory).redact({ path: "/d/x" });
    for (const id of above) expect(await getProposals(memory).get(id)).toMatchObject({ status: "rejected", base: "" });
    await getProposals(memory).approve(fine, ada);
    expect((await memory.snapshot()).files).toMatchObject([{ path: "/d/x" }]);
  });
});

/** A change of a memory by names of directories, some of which are redacted later. */
const someChange = fc.tuple(
  fc.constantFrom("write", "rename", "delete"),
  fc.constantFrom("/a", "/secret", "/b/secret", "/b", "/a/c"),
  fc.constantFrom("/a", "/secret", "/b/secret", "/c", "/d"),
);

describe("an earlier tree", () => {
  async function change(memory: Memory, [kind, path, to]: [string, string, string]): Promise<void> {
    try {
      if (kind === "write") await memory.write(`${path}/f`, randomUUID());
      else if (kind === "delete") await memory.delete(path);
      else await memory.rename(path, to);
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
    }
  }

  async function readTrees(memory: Memory): Promise<string[][]> {
    const history = getHistory(memory);
    const ids = (await readAll(history.list())).map(({ id }) => id);
    const trees = await Promise.all([new Date(0), ...ids].map((when) => history.at(when)));
    return trees.map(({ directories }) => directories);
  }

  it("has no directory that was not there, and no redacted name, whatever is redacted", async () => {
    const changes = fc.array(someChange, { minLength: 2, maxLength: 10 });
    // Null for the text; else a path.
    const redacted = fc.option(fc.constantFrom("/a/f", "/secret/f", "/b/f", "/c/f"), { freq: 2 });
    await fc.assert(
      fc.asyncProperty(changes, redacted, async (made, chosen) => {
        const memory = openFresh();
        await memory.write("/kept", "text");
        for (const each of made) await change(memory, each);
        // A present name is redacted by renaming or deleting it first.
        await change(memory, ["rename", "/secret", "/plain"]);
        await change(memory, ["rename", "/b/secret", "/plainer"]);
        for (const path of ["/secret", "/b/secret", "/a/secret", "/c/secret", "/d/secret"]) await memory.delete(path);
        if ((await memory.snapshot()).directories.some((path) => path.includes("secret"))) return;
        const before = await readTrees(memory);
        const history = getHistory(memory);
        await history.redact(chosen === null ? { text: "secret" } : { path: chosen });
        const after = await readTrees(memory);
        after.forEach((directories, index) => {
          expect(before[index]).toEqual(expect.arrayContaining(directories));
          if (chosen === null) expect(directories.join()).not.toContain("secret");
        });
      }),
      { numRuns: repetitions({ usual: 12, long: 100 }) },
    );
  });
});
