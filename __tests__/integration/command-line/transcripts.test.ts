import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MongoDBStore } from "@langchain/langgraph-checkpoint-mongodb";
import { beforeAll } from "@jest/globals";
import {
  logConversation,
  type Memory,
  type MemoryAddress,
  MemoryNode,
  type MemoryNodeOptions,
  MongoMemoryStore,
} from "../../../src/index.js";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { archiveOf } from "../../helpers/archives.js";
import { readAll } from "../../helpers/read-all.js";
import { change, learnWith } from "../../helpers/scripted-learning.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";
import { type RunLine, runCommandLines, testLines } from "../../helpers/line-transcripts.js";

const { client, uri, name: dbName, db } = testDatabase();
const database = ["--uri", uri, "--db", dbName];
const folder = testFolder();
const asking: Pick<MemoryNodeOptions, "rules" | "onAsk"> = {
  rules: [{ path: "/**", access: "ask" }],
  onAsk: "propose",
};
const hostileText = "a\u001b[2J\u001b]0;title\u0007\u007f\u009b31m\rb\u202e";

async function writeTexts(memory: Memory, texts: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) await memory.write(path, text);
}

/** A run of `learn` proposes these files from a note that is gone by now. */
async function learnFiles(memory: Memory, names: readonly string[]): Promise<void> {
  await memory.with({ actor: { userId: "ada", client: "form" } }).write("/inbox/a.md", "Ada moved to Oslo.\u001b[2J");
  const reason = "said\nso";
  await learnWith(
    memory,
    names.map((name) => change("write", `/profile/${name}.md`, { text: `${name} lives in Norway.`, reason })),
  );
  await memory.write("/inbox/a.md", "another note");
}

testLines("files", async () => {
  const address = { nodeId: randomUUID(), scope: "perThread", threadId: "ada@example.com" } as const;
  const memory = new MongoMemoryStore({ client, dbName }).memory(address);
  const long = `${"a".repeat(4_000)}b${"a".repeat(4_000)}`;
  const text = "buy milk\nBUY bread\r\nbuy 3.5 eggs\n";
  await writeTexts(memory, { "/notes/today.md": text, "/notes/old/monday": "nothing", "/todo": "é🧠" });
  return runCommandLines({
    target: [...database, "--node", address.nodeId, "--thread", address.threadId],
    names: { LONG: long },
    given: {
      "a text that nearly occurs everywhere": () => memory.write("/many", `${"a".repeat(500_000)}\n${long}c`),
      "a hostile file": () => memory.write("/dir/invoice\u202efdp", `line 1\r\n\t${hostileText}\n`),
    },
  });
});

/** A memory with a history. */
function openHistory(): RunLine {
  const store = new MongoMemoryStore({ client, dbName, history: true });
  const nodeId = randomUUID();
  const memory = store.memory({ nodeId });
  const by = (actor: Parameters<Memory["with"]>[0]["actor"]): Memory => memory.with({ actor });
  const learnt =
    (...names: string[]) =>
    () =>
      learnFiles(memory, names);
  return runCommandLines({
    target: [...database, "--node", nodeId],
    names: { NODE: nodeId },
    given: {
      "three versions": async () => {
        await by({ userId: "ada", runId: "run-1" }).write("/notes/today", "buy milk\nbuy bread\n");
        const bob = { userId: "bob", toolCallId: "call-1", threadId: "thread-1", client: "Editor 1.0" };
        await by(bob).update("/notes/today", "bread", "eggs");
        await by({ userId: "ada", runId: "run-2" }).append("/notes/today", "call mum");
      },
      "a later run that moves the file": async () => {
        await by({ userId: "bob", runId: "run-3" }).rename("/notes/today", "/b");
        await by({ userId: "bob", runId: "run-3" }).write("/c", "x");
      },
      "a run of an agent, and a change of a program": async () => {
        const run = { userId: "ada", agent: "helper", threadId: "t", runId: "run-1", node: "tools" };
        await writeTexts(by(run), { "/a": "1", "/b": "2" });
        await by({}).write("/c", "3");
      },
      "a line, and another one": async () => {
        await memory.write("/a", "one");
        await memory.append("/a", "two");
      },
      "a line, and its end": async () => {
        for (const text of ["one", "one\n"]) await memory.write("/a", text);
      },
      "a key in several versions": async () => {
        for (const text of ["old", "key sk-1\n", "key sk-1\nmore\n", "new"]) await memory.write("/a", text);
        await memory.write("/b", "sk-1");
      },
      "a talk that is logged": () =>
        logConversation(memory, [["user", "The key is\nsk-1\nnothing else"]], { at: new Date("2026-03-04T09:05:00Z") }),
      "a text that was learnt from a note and approved": async () => {
        await learnFiles(memory, ["ada"]);
        for (const { id } of await readAll(getProposals(memory).list()))
          await getProposals(memory).approve(id, { by: { userId: "ada" } });
      },
      "a program that appends": () => memory.append("/a", "2"),
      "hostile texts, names and actors": async () => {
        await by({ client: "evil\u001b]0;x\u0007" }).write("/in\u202evoice", hostileText);
        await by({ userId: "u\u001b[1A" }).append("/in\u202evoice", hostileText);
      },
      "an agent proposes a policy": async () => {
        const [tool] = new MemoryNode({ store, nodeId, ...asking }).memoryTools;
        await tool?.invoke({ command: "append", path: "/policy", content: "Pay at once.\u001b[2J" });
      },
      "its texts are redacted": async () => {
        for (const text of ["Pay at once.", "policy"]) await getHistory(memory).redact({ text });
      },
      "a run of learn has proposed /profile/ada.md": learnt("ada"),
      "a run of learn has proposed /profile/ada.md and /profile/bob.md": learnt("ada", "bob"),
      "a run of learn has proposed /profile/ada.md, /profile/bob.md and /profile/carol.md": learnt(
        "ada",
        "bob",
        "carol",
      ),
    },
  });
}

testLines("history", openHistory);
testLines("proposals", openHistory);

const ofAda = { nodeId: "a", scope: "perUser", userId: "ada" } as const;
const ofThread = { nodeId: "a", scope: "perThread", threadId: "ada" } as const;

testLines("memories", () => {
  const memoriesCollection = randomUUID();
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection });
  const keeping = new MongoMemoryStore({ client, dbName, memoriesCollection, history: true });
  const write = (address: MemoryAddress, path: string, text = "x") => store.memory(address).write(path, text);
  const propose = async (nodeId: string, userId: string, content = "text\n"): Promise<void> => {
    const settings = { store, nodeId, scope: "perUser", maxFileBytes: 2_000_000, ...asking } as const;
    const [tool] = new MemoryNode(settings).memoryTools;
    const call = { command: "append", path: `/of-${userId}`, content } as const;
    await tool?.invoke(call, { configurable: { user_id: userId } });
  };
  const person = (userId: string, nodeId = "a") => ({ nodeId, scope: "perUser", userId }) as const;
  const ofAll = keeping.memory({ nodeId: "a" }).with({ actor: { userId: "ada", node: "n" } });
  return runCommandLines({
    target: [...database, "--memories-collection", memoriesCollection],
    names: { FOLDER: folder },
    given: {
      "memories of Ada and of all": async () => {
        await write(ofAda, "/one");
        await write({ ...ofAda, nodeId: "b" }, "/one");
        await write({ ...ofAda, nodeId: "b" }, "/two");
        await write(ofThread, "/one");
        await write({ nodeId: "a" }, "/one");
      },
      "a memory of Ada alone": () => write({ ...ofAda, nodeId: "n" }, "/a"),
      "three memories of one id": async () => {
        await write({ nodeId: "a" }, "/a", "of all");
        await write(ofThread, "/a", "of the thread");
        await write(ofAda, "/a", "of the user");
      },
      "ten other nodes": async () => {
        for (let index = 0; index < 10; index += 1) await write({ nodeId: `d${index}` }, "/a");
      },
      "a hundred versions of Ada": async () => {
        // A hundred changes leave the document of their memory.
        for (let index = 0; index < 100; index += 1) await keeping.memory(ofAda).write("/a", String(index));
        await ofAll.write("/a", "x");
      },
      "another version by Ada in the memory of all": () => ofAll.write("/b", "x"),
      "proposals for Ada and Eve": async () => {
        await propose("support", "ada");
        await propose("support", "eve");
        await propose("writer", "ada");
      },
      "a proposal for Ada that is too large for this program, and one for Eve": async () => {
        await propose("support", "ada", "x".repeat(1_000_001));
        await propose("support", "eve");
      },
      "an old and a new person": async () => {
        await writeTexts(keeping.memory(person("old")), { "/a.md": "1", "/b.md": "same", "/log/x": "old" });
        await writeTexts(keeping.memory(person("new")), { "/a.md": "2", "/b.md": "same" });
      },
      "learn has proposed two changes for the old person": () =>
        learnFiles(keeping.memory(person("old")), ["ada", "bob"]),
    },
  });
});

/** Names that a careless program would take for one another. */
const confusable: MemoryAddress[] = [
  { nodeId: "a/b" },
  { nodeId: "a%2Fb" },
  { nodeId: "A/b" },
  { nodeId: "x".repeat(500), scope: "perThread", threadId: "ada@example.com" },
  ...["ada@example.com", "global", "users", "threads", "a/b", "a%2Fb"].flatMap((id): MemoryAddress[] => [
    { nodeId: "a/b", scope: "perThread", threadId: id },
    { nodeId: "a/b", scope: "perUser", userId: id },
  ]),
];

/** Two texts, and what no memory takes. */
function createWorkspace(dir: string): void {
  for (const name of ["docs", " blank", ".git"]) mkdirSync(join(dir, name), { recursive: true });
  const texts = { "notes.md": "one", "docs/plan.md": "two", " blank/x": "x", "a\\b": "x", "line\nskipped: no": "x" };
  for (const [name, text] of Object.entries({ ...texts, ".git/config": "x", "docs/large.log": "x".repeat(7_500_001) }))
    writeFileSync(join(dir, name), text);
  writeFileSync(join(dir, "docs/logo.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]));
  writeFileSync(join(dir, "docs/huge.log"), "");
  truncateSync(join(dir, "docs/huge.log"), 1_000_000_000);
  symlinkSync("..", join(dir, "docs/loop"));
  symlinkSync("notes.md", join(dir, "linked"));
  symlinkSync("nowhere", join(dir, "dangling"));
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/caf`), Buffer.from([0xe9])]), "x");
  mkdirSync(Buffer.concat([Buffer.from(`${dir}/dir`), Buffer.from([0xff])]));
  execFileSync("mkfifo", [join(dir, "docs/pipe")]);
}

testLines("moving", () => {
  const [memoriesCollection, copy, other] = [randomUUID(), `copy-${randomUUID()}`, `other-${randomUUID()}`];
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection });
  const dir = folderWith(folder);
  const put = (name: string, text: string) => writeFileSync(join(dir, name), text);
  const at = "2025-03-04T10:00:00.000Z";
  const oldArchive =
    (...paths: string[]) =>
    async () => {
      const times = { createdAt: "1969-07-20T20:17:40.000Z", updatedAt: at };
      const lines = paths.map((path) => ({ memory: { nodeId: "old" }, path, ...times, content: path }));
      put("old.jsonl", archiveOf([...lines, { end: true }]));
    };
  return runCommandLines({
    target: [...database, "--memories-collection", memoriesCollection],
    names: { "LONG-NAME": confusable[3]?.nodeId ?? "", FOLDER: dir, COPY: copy, OTHER: other, DATABASE: dbName },
    given: {
      "memories a and b of Ada and Bob": async () => {
        for (const address of [
          { nodeId: "a" },
          ofAda,
          { ...ofAda, nodeId: "b" },
          { ...ofAda, nodeId: "b", userId: "bob" },
        ])
          await store.memory(address).write("/a", "1");
        await store.memory({ nodeId: "a", scope: "perThread", threadId: "t" }).write("/a", "1");
      },
      "memories whose names are nearly the same": async () => {
        for (const [index, address] of confusable.entries()) await store.memory(address).write("/same", String(index));
      },
      "an archive of version 0.1.0": oldArchive("/ d /a ", "/b ", "/c"),
      "an archive of version 0.1.0 with a name twice": oldArchive("/b ", "/b"),
      "a memory that not every place can take": async () => {
        await writeTexts(store.memory({ nodeId: "a" }), { "/a": "1", "/dir/b": "2", "/con": "3", "/notes.md": "4" });
      },
      "a folder with a file below /NOTES": () =>
        openDirectoryMemory({ dir: join(dir, "taken") }).write("/NOTES/c", "x"),
      "a workspace": async () => createWorkspace(join(dir, "workspace")),
      "a folder with links to another one": async () => {
        for (const name of ["elsewhere", "linked"]) mkdirSync(join(dir, name));
        put("elsewhere/kept", "x");
        put("linked/a", "1");
        symlinkSync(join(dir, "elsewhere"), join(dir, "linked/out"));
        symlinkSync(join(dir, "elsewhere/kept"), join(dir, "linked/file"));
      },
      "a folder with a name in NFD": async () => {
        mkdirSync(join(dir, "nfd/u\u0308ber"), { recursive: true });
        put("nfd/u\u0308ber/e\u0301.md", "x");
      },
      "a history of the memory of Ada": () =>
        new MongoMemoryStore({ client, dbName, memoriesCollection, history: true }).memory(ofAda).write("/z", "x"),
      "an export of mem0": async () => {
        const fact = { created_at: at, memory: "Likes tea" };
        put(
          "mem0.json",
          JSON.stringify([
            { id: "a1", ...fact, user_id: "ada" },
            { id: "b2", ...fact, user_id: "bob" },
          ]),
        );
      },
      "an empty export and one of nonsense": async () => {
        put("empty.json", "[]");
        put("nonsense.json", '[1,"x"]');
      },
      "collections of a MongoDBStore and of mem0": async () => {
        const official = new MongoDBStore({ client: client as never, dbName, collectionName: "official" });
        await official.start();
        await official.put(["memories", "ada"], "seat", { text: "Window" });
        await official.put(["memories", "bob"], "seat", { text: "Aisle" });
        await db.collection<{ _id: string; embedding: number[]; payload: object }>("mem0").insertMany([
          { _id: "m1", embedding: [0.1], payload: { data: "Likes tea", createdAt: at, userId: "ada" } },
          { _id: "m2", embedding: [0.1], payload: { data: "Not hers", createdAt: at, userId: "bob" } },
        ]);
      },
    },
  });
});

const nodeId = randomUUID();

beforeAll(async () => {
  const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId });
  await writeTexts(memory, { "/notes/a": "text", "/file": "text" });
  mkdirSync(join(folder, "memory"));
  writeFileSync(join(folder, "plain file"), "x");
});

testLines("faults", () => {
  const names = {
    "IN-DATABASE": [...database, "--node", nodeId].join(" "),
    SERVER: uri,
    FOLDER: folder,
    LONG: "x".repeat(1_000_001),
  };
  const run = runCommandLines({ target: [], names });
  return async (line) => {
    const shown = await run(line);
    const [, code = "no code"] =
      /^! \{"ok":false,"error":\{"code":"(\w+)","message":".+"\}\}$/m.exec(await run(`${line} --json`)) ?? [];
    return `${shown} ${code}`;
  };
});
