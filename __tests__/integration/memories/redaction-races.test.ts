import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { MemorySaver } from "@langchain/langgraph";
import { Agent, type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import type { RevertTarget } from "../../../src/core/history/history.js";
import { SlowClient } from "../../helpers/before-commands.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { findStored } from "../../helpers/find-stored.js";
import { getFailure } from "../../helpers/get-failure.js";
import { readAll } from "../../helpers/read-all.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { hashSha256 } from "../../helpers/sha256.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const runProcess = promisify(execFile);
const worker = compiled("__tests__/helpers/approval-worker.ts");
const ada = { by: { userId: "ada" } };

const { uri, db, client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const openFresh = (): Memory => store.memory({ nodeId: randomUUID() });
const createSecret = (): string => `sk-${randomUUID().slice(0, 11)}`;

/** Proposes an append as an agent. @returns the id of the proposal */
async function propose({ address }: Memory, path: string, content: string): Promise<string> {
  const rules = [{ path: "/**", access: "ask" as const }];
  const node = new MemoryNode({ store, nodeId: address.nodeId, rules, onAsk: "propose" });
  const answer = await node.memoryTools[0]?.invoke({ command: "append", path, content });
  return (JSON.parse(String(answer)) as { result: { proposal: string } }).result.proposal;
}

const isStored = async (text: string): Promise<boolean> => (await findStored(db, text)).length > 0;

async function measureApproval(memory: Memory): Promise<number> {
  const id = await propose(memory, "/measured", "two");
  const startMs = performance.now();
  await getProposals(memory).approve(id, ada);
  return performance.now() - startMs;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("a text that is redacted while its approval is under way", () => {
  it("is nowhere afterwards, however both calls overtake each other", async () => {
    const wanted = repetitions({ usual: 10, long: 100 });
    // How long an approval takes depends on the load of the machine.
    let approvalMs = 0;
    for (let both = 0, part = 0; both < wanted; part = (part + 0.05) % 1.2) {
      const secret = createSecret();
      const memory = openFresh();
      await memory.write("/a", "one");
      if (part < 0.05) approvalMs = await measureApproval(memory);
      const delayMs = part * approvalMs;
      const id = await propose(memory, "/a", secret);
      const [approved, redacted] = await Promise.allSettled([
        getProposals(memory).approve(id, ada),
        wait(delayMs).then(() => getHistory(memory).redact({ text: secret, cut: true })),
      ]);
      expect(redacted.status).toBe("fulfilled");
      expect(await isStored(secret)).toBe(false);
      if (approved.status === "fulfilled") both += 1;
      else expect(approved.reason).toMatchObject({ code: "ECONFLICT" });
    }
  });

  it("is nowhere afterwards, at whichever command the approving process was killed", async () => {
    for (let step = 1; ; step += isLong ? 1 : 2) {
      const secret = createSecret();
      const memory = openFresh();
      await memory.write("/a", "one");
      const id = await propose(memory, "/a", secret);
      const isKilled = await runProcess(process.execPath, [
        worker,
        uri,
        dbName,
        memory.address.nodeId,
        id,
        String(step),
        "history",
      ]).then(
        () => false,
        ({ signal }: { signal?: string }) => signal === "SIGKILL",
      );
      await getHistory(memory).redact({ text: secret, cut: true });
      expect(await isStored(secret)).toBe(false);
      expect(["approved", "rejected"]).toContain((await getProposals(memory).get(id))?.status);
      if (!isKilled) break;
    }
  });
});

describe("a text that is redacted beside a revert", () => {
  const slowClient = new SlowClient(useClient(new MongoClient(uri)));
  const slowStore = new MongoMemoryStore({ client: slowClient.client, dbName, history: true });
  const writeTwice = async (memory: Memory, path: string, secret: string): Promise<void> => {
    await memory.write(path, secret);
    await memory.with({ actor: { runId: "r" } }).write(path, "plain");
  };
  const deleteFile = async (memory: Memory, path: string, secret: string): Promise<void> => {
    await memory.write(path, secret);
    await memory.delete(path);
  };
  const reverts: [string, typeof writeTwice, RevertTarget][] = [
    ["a file", writeTwice, { path: "/d/a", to: "1" }],
    ["a directory", writeTwice, { path: "/d", to: "1" }],
    ["a deleted file", deleteFile, { path: "/d/a", to: "1" }],
    ["a run", writeTwice, { runId: "r" }],
  ];

  it.each(reverts)("is nowhere afterwards, however a revert of %s is overtaken", async (_, prepare, what) => {
    for (let round = 0; round < repetitions({ usual: 12, long: 100 }); round += 1) {
      const secret = createSecret();
      const memory = openFresh();
      await prepare(memory, "/d/a", secret);
      const latencyMs = [0, 3, 10][round % 3] ?? 0;
      const [, redacted] = await Promise.allSettled([
        slowClient.run(
          () => wait(latencyMs),
          () => getHistory(slowStore.memory(memory.address)).revert(what),
        ),
        wait(round % 5).then(() => getHistory(memory).redact({ text: secret, cut: true })),
      ]);
      expect(redacted.status).toBe("fulfilled");
      expect(await isStored(secret)).toBe(false);
    }
  });

  it.each(reverts)("is nowhere afterwards, before whichever command of a revert of %s", async (_, prepare, what) => {
    for (let number = 1; ; number += 1) {
      const secret = createSecret();
      const memory = openFresh();
      await prepare(memory, "/d/a", secret);
      const redact = (): Promise<unknown> => getHistory(memory).redact({ text: secret, cut: true });
      const revert = (): Promise<unknown> => getHistory(slowStore.memory(memory.address)).revert(what);
      const wasMet = await slowClient.runBeside(number, redact, revert);
      if (!wasMet) break;
      expect(await isStored(secret)).toBe(false);
    }
  });
});

describe("a text that is redacted beside a request for an approval", () => {
  const slowClient = new SlowClient(useClient(new MongoClient(uri)));
  const slowStore = new MongoMemoryStore({ client: slowClient.client, dbName, history: true });
  const changes: [string, object][] = [
    ["an append", { command: "append", path: "/d/a", content: "more" }],
    ["a delete of a directory", { command: "delete", path: "/d" }],
  ];

  /** Lets an agent call the tool, in a run that can wait for a person. */
  async function callInRun(node: MemoryNode, args: object): Promise<unknown> {
    const model = new ScriptedChatModel(() => ({ tool: "memory", args: { ...args } }));
    const agent = new Agent({ model, tools: node.memoryTools, checkpointer: new MemorySaver() });
    return agent.invoke({ messages: [] }, { configurable: { thread_id: randomUUID() } });
  }

  for (const onAsk of ["propose", "interrupt"] as const)
    it.each(changes)(`is nowhere afterwards, before whichever command of %s (onAsk: ${onAsk})`, async (_, args) => {
      for (let number = 1; ; number += 1) {
        const secret = createSecret();
        const memory = openFresh();
        await memory.write("/d/a", secret);
        const rules = [{ path: "/**", access: "ask" as const }];
        const node = new MemoryNode({ store: slowStore, nodeId: memory.address.nodeId, rules, onAsk });
        const ask = (): Promise<unknown> =>
          onAsk === "propose" ? Promise.resolve(node.memoryTools[0]?.invoke(args as never)) : callInRun(node, args);
        const redact = (): Promise<unknown> => getHistory(memory).redact({ text: secret, cut: true });
        const wasMet = await slowClient.runBeside(number, redact, ask);
        if (!wasMet) break;
        expect(await isStored(secret)).toBe(false);
        // If it still waits, it is for the file as it is now.
        for (const { id } of await readAll(getProposals(memory).list())) await getProposals(memory).approve(id, ada);
      }
    });
});

describe("a file whose earlier versions are redacted", () => {
  /** A file had a secret, by an approval that a crash may have interrupted. */
  async function leakByApproval(interrupt: boolean): Promise<{ memory: Memory; secret: string; id: string }> {
    const secret = createSecret();
    const memory = openFresh();
    await memory.write("/a", "one");
    const id = await propose(memory, "/a", secret);
    await getProposals(memory).approve(id, ada);
    const unfinished = { status: "applying", token: "of the dead", claim: "of the dead" };
    if (interrupt) {
      // As a process leaves it that dies between the change and the last step of the approval.
      await db.collection<{ _id: string }>("memories_proposals").updateOne({ _id: id }, { $set: unfinished });
      await db
        .collection("memories")
        .updateOne({ nodeId: memory.address.nodeId }, { $set: { [`applied.${id}`]: true } });
    }
    await memory.write("/a", "harmless");
    return { memory, secret, id };
  }

  it("takes its texts out of an approval that a crash has interrupted", async () => {
    const { memory, secret, id } = await leakByApproval(true);
    expect(await getHistory(memory).redact({ path: "/a" })).toBe(2);
    expect(await isStored(secret)).toBe(false);
    expect(await getProposals(memory).get(id)).toMatchObject({ status: "approved", path: "", diff: "", base: "" });
    expect(await memory.read("/a")).toBe("harmless");
  });

  it("takes its texts out of a proposal that is approved at the same time", async () => {
    for (let round = 0; round < repetitions({ usual: 6, long: 100 }); round += 1) {
      const { memory, secret } = await leakByApproval(false);
      // It was made for the text of version 2, and can be approved while the file has that text again.
      await getHistory(memory).revert({ path: "/a", to: "2" });
      const waiting = await propose(memory, "/a", "more");
      await memory.write("/a", "harmless again");
      const [, redacted] = await Promise.allSettled([
        getProposals(memory).approve(waiting, ada),
        wait(round % 8).then(() => getHistory(memory).redact({ path: "/a" })),
      ]);
      expect(redacted).toMatchObject({ status: "fulfilled", value: 4 });
      expect(await isStored(secret)).toBe(false);
      expect((await getProposals(memory).get(waiting))?.status).toBe("rejected");
    }
  });
});

describe("a redaction", () => {
  const monitored = useClient(new MongoClient(uri, { monitorCommands: true }));
  const monitoredStore = new MongoMemoryStore({ client: monitored, dbName, history: true });

  /** Calls it until it is done. Each call ends at a command that redacts versions. @returns how many calls it took */
  async function redactInPieces({ address }: Memory, text: string, lastCommand: number): Promise<number> {
    for (let calls = 1; ; calls += 1) {
      const controller = new AbortController();
      let sent = 0;
      const count = ({ commandName, command }: CommandStartedEvent): void => {
        if (commandName === "update" && command["update"] === "memories_versions" && (sent += 1) === lastCommand)
          controller.abort(new Error("stopped"));
      };
      monitored.on("commandStarted", count);
      const history = getHistory(monitoredStore.memory(address).with({ signal: controller.signal }));
      const isDone = await history.redact({ text }).then(
        () => true,
        () => false,
      );
      monitored.off("commandStarted", count);
      if (isDone) return calls;
    }
  }

  it("cuts a file of a memory whose other files four writers change all the time", async () => {
    const secret = createSecret();
    const memory = openFresh();
    await memory.write("/a", `key: ${secret}\n`);
    let isDone = false;
    const write = async (writer: number): Promise<number> => {
      for (let count = 0; ; count += 1) {
        if (isDone) return count;
        await memory.append(`/other ${writer}`, `line ${count}`);
      }
    };
    const writers = [0, 1, 2, 3].map(write);
    for (let round = 0; round < 5; round += 1) {
      await getHistory(memory).redact({ text: secret, cut: true });
      await memory.append("/a", secret);
    }
    await getHistory(memory).redact({ text: secret, cut: true });
    isDone = true;
    const counts = await Promise.all(writers);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(await isStored(secret)).toBe(false);
  });

  it("that ends early each time gets done by being called again", async () => {
    const secret = createSecret();
    const files = repetitions({ usual: 12, long: 100 });
    const memory = openFresh();
    const paths = Array.from({ length: files }, (_, file) => `/${file}`);
    const lines = Array.from({ length: 5 }, (_, line) => `line ${line}`);
    await Promise.all(
      paths.flatMap((path) => [
        memory.write(path, secret),
        ...lines.map((line) => memory.append(path, line)),
        memory.update(path, secret, "gone"),
      ]),
    );
    const calls = await redactInPieces(memory, secret, 5);
    expect(calls).toBeGreaterThan(1);
    expect(calls).toBeLessThan(files);
    expect(await isStored(secret)).toBe(false);
  });

  it("goes on in the middle of a file with a long history", async () => {
    const secret = createSecret();
    const memory = openFresh();
    await memory.write("/log", secret);
    const lines = repetitions({ usual: 1100, long: 11_400 });
    // They are made in this order, many with one command.
    await Promise.all(Array.from({ length: lines }, (_, line) => memory.append("/log", `line ${line}`)));
    await memory.update("/log", secret, "gone");
    const calls = await redactInPieces(memory, secret, 2);
    expect(calls).toBeGreaterThan(2);
    expect(calls).toBeLessThan(lines / 100);
    expect(await isStored(secret)).toBe(false);
    expect((await getHistory(memory).read("3")).content).toBe("[redacted----]\nline 0\nline 1");
  });

  it("changes nothing at all where one of the paths may not be changed", async () => {
    const secret = createSecret();
    const memory = openFresh();
    for (const path of ["/a", "/b", "/policies/c"]) {
      await memory.write(path, secret);
      await memory.write(path, "plain");
    }
    await propose(memory, "/a", secret);
    const rules = [{ path: "/policies/**", access: "read" as const }];
    const bound = new MemoryNode({ store, nodeId: memory.address.nodeId, rules }).memory();
    for (const what of [{ text: secret }, { path: "/policies/c" }]) {
      expect(await getFailure(getHistory(bound).redact(what))).toMatchObject({ code: "EACCES", path: "/policies/c" });
      expect((await getHistory(memory).findText(secret)).versions).toHaveLength(3);
      expect((await getHistory(memory).findText(secret)).proposals).toHaveLength(1);
    }
  });

  it.each(["text", "path"] as const)(
    "by its %s that ends at any command leaves no version with a part of it",
    async (what) => {
      const slowClient = new SlowClient(client);
      const slowStore = new MongoMemoryStore({ client: slowClient.client, dbName, history: true });
      for (let last = 1; ; last += isLong ? 1 : 2) {
        const secret = createSecret();
        const memory = openFresh();
        const texts = [
          `key ${secret}`,
          `${secret} ${secret}`,
          `a ${secret} ${secret}`,
          `a ${secret} b ${secret}`,
          "plain",
        ];
        for (const text of texts) await memory.write("/a", text);
        await memory.rename("/a", "/b");
        let sent = 0;
        const stop = (): Promise<void> =>
          (sent += 1) >= last ? Promise.reject(new Error("stopped")) : Promise.resolve();
        const redaction = what === "text" ? { text: secret } : { path: "/b" };
        const other = slowStore.memory(memory.address);
        await slowClient.run(stop, () => getHistory(other).redact(redaction)).catch(() => null);
        expect(await isStored(hashSha256(secret))).toBe(false);
        for (const [index, text] of texts.entries()) {
          const { content, redactedAt } = await getHistory(memory).read(String(index + 1));
          if (redactedAt === undefined) expect(content).toBe(text);
          else expect(content ?? "").not.toContain(secret);
        }
        await getHistory(memory).redact(redaction);
        expect(await isStored(secret)).toBe(false);
        if (what === "text") expect((await getHistory(memory).read("2")).content).toBe("[redacted----] [redacted----]");
        if (sent < last) break;
      }
    },
  );

  it("of one text leaves the cover of another, which is redacted before any of its commands", async () => {
    const slowClient = new SlowClient(client);
    const slowStore = new MongoMemoryStore({ client: slowClient.client, dbName, history: true });
    for (let number = 1; ; number += 1) {
      const [one, two] = [createSecret(), createSecret()];
      const memory = openFresh();
      for (const text of [one, `${one} ${two}`, `${two} and ${one}`, "plain"]) await memory.write("/a", text);
      const wasMet = await slowClient.runBeside(
        number,
        () => getHistory(memory).redact({ text: two }),
        () => getHistory(slowStore.memory(memory.address)).redact({ text: one }),
      );
      if (!wasMet) break;
      for (const secret of [one, two]) expect(await isStored(secret)).toBe(false);
      expect((await getHistory(memory).read("3")).content).toMatch(/^\[redacted-*\] and \[redacted-*\]$/);
    }
  });
});
