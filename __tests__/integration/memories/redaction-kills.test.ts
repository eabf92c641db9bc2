import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { toLoggedText } from "../../../src/core/search/log-lines.js";
import { type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { findStored } from "../../helpers/find-stored.js";
import { startImpatientServer } from "../../helpers/impatient-server.js";
import { toArgument, withPageBytes } from "../../helpers/page-sizes.js";
import { readAll } from "../../helpers/read-all.js";
import { isLong } from "../../helpers/repetitions.js";
import { hashSha256 } from "../../helpers/sha256.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";

const runProcess = promisify(execFile);
const worker = compiled("__tests__/helpers/redaction-worker.ts");

/** What a memory is like before a redaction. */
interface Case {
  pageBytes?: number;
  /** The text to redact. */
  createText: (secret: string) => string;
  prepare: (memory: Memory, text: string, store: MongoMemoryStore) => Promise<unknown>;
}

/** Writes texts with several occurrences, one after the other: they are stored as differences. */
async function writeVersions(memory: Memory, path: string, text: string): Promise<void> {
  for (const content of ["plain", `key ${text}`, `key ${text} ${text}`, `a ${text} b ${text} c`, `a ${text} c`])
    await memory.write(path, content);
}

/** Moves the versions so far from the memory to their collection. */
const flush = (memory: Memory): Promise<unknown> => getHistory(memory).redact({ text: "found nowhere" });

const createLine = (secret: string): string => secret;

const cases: Record<string, Case> = {
  "a present file": {
    createText: createLine,
    prepare: async (memory, text) => {
      await writeVersions(memory, "/a", text);
      await flush(memory);
      await memory.append("/a", `\nmore ${text}`);
    },
  },
  "a deleted file": {
    createText: createLine,
    prepare: async (memory, text) => {
      await writeVersions(memory, "/d/a", text);
      await memory.rename("/d/a", "/d/b");
      await flush(memory);
      await memory.delete("/d/b");
      await memory.write("/d/b", "another");
    },
  },
  "a memory of several pages": {
    pageBytes: 200,
    createText: createLine,
    prepare: async (memory, text) => {
      await writeVersions(memory, "/a", text);
      await writeVersions(memory, "/m/b", text);
      await memory.write("/m/b", "plain");
      await flush(memory);
      await memory.write("/z", `${"t".repeat(300)} ${text}`);
      await memory.rename("/m", "/n");
    },
  },
  "several forms, in files, versions, the outbox and a proposal": {
    createText: (secret) => `begin\nkey ${secret}\nend`,
    prepare: async (memory, text, store) => {
      const forms = [text, text.replaceAll("\n", "\r\n"), toLoggedText(text, "User")];
      await memory.write("/a", `${forms[0]} ${forms[1]}`);
      await memory.write("/a", `x ${forms[1]} ${forms[0]} ${forms[2]}`);
      await flush(memory);
      await memory.write("/a", `x ${forms[2]} ${forms[1]} y`);
      const rules = [{ path: "/**", access: "ask" as const }];
      const node = new MemoryNode({ store, nodeId: memory.address.nodeId, rules, onAsk: "propose" });
      for (const form of forms)
        await node.memoryTools[0]?.invoke({ command: "append", path: "/a", content: `more ${form}` });
    },
  },
};

type Texts = Map<string, string | null>;

/** Everything that can be read in a memory. Null: the text of a redacted version cannot be read. */
async function readTexts(memory: Memory): Promise<Texts> {
  const history = getHistory(memory);
  const texts: Texts = new Map((await memory.snapshot()).files.map(({ path, content }) => [path, content]));
  for (const { id, operation } of await readAll(history.list())) {
    const { content, redactedAt } = await history.read(id);
    if (operation !== "deleted") {
      if (content === null) expect(redactedAt).toBeInstanceOf(Date);
      texts.set(`version ${id}`, content);
    }
    for (const file of (await history.at(id)).files) texts.set(`${file.path} at ${id}`, file.content);
  }
  for (const status of ["pending", "rejected"] as const)
    for (const { id, content, diff } of await readAll(getProposals(memory).list({ status })))
      texts.set(`proposal ${id}`, JSON.stringify([content, diff]));
  return texts;
}

// Each kill takes a process of its own, so the usual run has few of them.
const events = isLong ? ["commandStarted", "commandSucceeded"] : ["commandSucceeded"];

describe.each(Object.entries(cases))("a redaction of %s", (name, { pageBytes, createText, prepare }) => {
  it.each(events)("whose process is killed at any %s shows each text as it was or covered", async (event) => {
    const { mongod, client } = await startImpatientServer();
    const dbName = `${Object.keys(cases).indexOf(name)}-${event}`;
    const store = new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(pageBytes) });
    const stride = isLong ? 1 : 30;
    for (let number = isLong ? 1 : 15; ; number += stride) {
      const secret = `sk-${randomUUID().slice(0, 11)}`;
      const text = createText(secret);
      const memory = store.memory({ nodeId: randomUUID() });
      await prepare(memory, text, store);
      const before = await readTexts(memory);
      const args = [mongod.uri, dbName, memory.address.nodeId, text, event, String(number), toArgument(pageBytes)];
      const signal = await runProcess(process.execPath, [worker, ...args]).then(
        () => null,
        (error: { signal?: string }) => error.signal,
      );
      expect([null, "SIGKILL"]).toContain(signal);
      const left = await readTexts(memory);
      expect(await findStored(client.db(dbName), hashSha256(text))).toEqual([]);
      await getHistory(memory).redact({ text, cut: true });
      const after = await readTexts(memory);
      for (const [place, shown] of left) {
        // The redaction makes versions. Files that they do not concern are in their trees as they were.
        const earlier = before.get(place) ?? before.get(place.replace(/ at [\d.]+$/, ""));
        if (shown !== null) expect([earlier, after.get(place)]).toContain(shown);
      }
      for (const [place, shown] of after) expect([place, shown?.includes(secret)]).toEqual([place, false]);
      expect(await findStored(client.db(dbName), secret)).toEqual([]);
      expect((await getHistory(memory).findText(text)).versions).toEqual([]);
      if (signal === null) break;
    }
  });
});
