import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createHash, randomUUID } from "node:crypto";
import { type Memory, MemoryError, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
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
async function propose(memory: Memory, args: Record<string, string>): Promise<string> {
  return readId(await askingNode(memory).memoryTools[0]?.invoke(args as never));
}

async function proposeRename(memory: Memory, from: string, to: string): Promise<string> {
  const paths = { old_path: `/memories${from}`, new_path: `/memories${to}` };
  return readId(await createClaudeMemoryTool(askingNode(memory)).invoke({ command: "rename", ...paths }));
}

const append = (memory: Memory, path: string, content: string): Promise<string> =>
  propose(memory, { command: "append", path, content });

function askingNode({ address: { nodeId } }: Memory): MemoryNode {
  const rules = [{ path: "/**", access: "ask" as const }];
  return new MemoryNode({ store, nodeId, rules, onAsk: "propose" });
}

function readId(answer: unknown): string {
  const [id] = /[0-9a-f]{24}/.exec(String(answer)) ?? [];
  if (id === undefined) throw new Error(`nothing was proposed: ${String(answer)}`);
  return id;
}

/** Every document of the database. */
async function readStored(): Promise<string> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const documents = await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray()));
  return JSON.stringify(documents);
}

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
    expect(await readStored()).not.toContain(secret);
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
    const stored = await readStored();
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
      { numRuns: repetitions({ usual: 12, long: 500 }) },
    );
  });
});
