import { deepEqual, equal, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "@jest/globals";
import { type Memory, type MemoryProposal, MongoMemoryStore } from "../../../src/index.js";
import fc from "../../helpers/fast-check.js";
import { readAll } from "../../helpers/read-all.js";
import { repetitions } from "../../helpers/repetitions.js";
import { by, change, learnFrom, said, texts, waiting, writeTexts } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const newMemory = (): Memory => store.memory({ nodeId: randomUUID() }, { paths: "posix" });

const inside = ["/profile/a.md", "/profile/b.md", "/profile/c/d.md", "/projects/e.md"];
const outside = ["/raw.md", "/conversations/2026-05-03.md", "/archive/profile/a.md", "/profile", "/profile/../raw.md"];
const lines = ["Lives in Berlin.", "Likes tea.", "Since 3 May in Oslo.", "é 🧠", "$x", "a.b", ""];

const line = fc.constantFrom(...lines);
const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((some) => some.join("\n"));
const path = fc.constantFrom(...inside, ...inside, ...inside, ...outside);
const tree = fc.dictionary(fc.constantFrom(...inside, "/raw.md", "/conversations/2026-05-03.md"), text, {
  noNullPrototype: true,
});
const operation = fc
  .record({
    operation: fc.constantFrom("append", "edit", "edit", "write", "rename", "archive", "delete"),
    path,
    text: fc.option(text),
    oldText: fc.option(line),
    to: fc.option(path),
    sources: fc.constantFrom(["s1"], ["s1"], ["s1"], ["s2"], []),
  })
  .map(({ operation: name, path: named, ...rest }) => change(name, named, rest));
const answer = fc.array(operation, { maxLength: 8 });
const limits = { removedShare: 1 };
const runs = repetitions({ usual: 12, long: 100 });

const isInside = (file: string): boolean => /^\/(?:archive\/)?(?:profile|projects)\//.test(file);

function check(
  run: (files: Record<string, string>, operations: object[], other: object[]) => Promise<void>,
): Promise<void> {
  return fc.assert(fc.asyncProperty(tree, answer, answer, run), { numRuns: runs, endOnFailure: false });
}

async function open(files: Record<string, string>): Promise<Memory> {
  const memory = newMemory();
  await writeTexts(memory, files);
  return memory;
}

/** What a person is shown of a proposal. */
const describeProposal = ({ command, path: file, to, content, diff }: MemoryProposal): object => ({
  command,
  file,
  to,
  content,
  diff,
});

describe("whatever a model answers", () => {
  it("nothing changes before approval, nothing outside of `write` ever, every text that goes is in a version, and undoing the run gives the old tree", async () => {
    await check(async (files, operations, other) => {
      const memory = await open(files);
      const options = { messages: said("x"), limits, allowDelete: true };
      const { runId } = await learnFrom(memory, [operations, other], options);
      deepEqual(await texts(memory), files);
      for (const { id } of await waiting(memory)) await memory.proposals?.approve(id, { by });
      const raw = (all: Record<string, string>): object =>
        Object.fromEntries(Object.entries(all).filter(([file]) => !isInside(file)));
      deepEqual(raw(await texts(memory)), raw(files));
      const versions = await readAll(memory.history?.list() ?? []);
      const kept = await Promise.all(versions.map(async ({ id }) => (await memory.history?.read(id))?.content));
      for (const content of Object.values(files)) ok(kept.includes(content), `kept: ${content}`);
      if (versions.some(({ actor }) => actor?.runId === runId)) await memory.history?.revert({ runId: runId ?? "" });
      deepEqual(await texts(memory), files);
    });
  });

  it("the same answers to the same texts are the same proposals, in any memory", async () => {
    await check(async (files, operations, other) => {
      const options = { messages: said("x"), limits, allowDelete: true };
      const [first, second] = [await open(files), await open(files)];
      const reports = [
        await learnFrom(first, [operations, other], options),
        await learnFrom(second, [operations, other], options),
      ];
      const [one, two] = [await waiting(first), await waiting(second)];
      deepEqual(one.map(describeProposal), two.map(describeProposal));
      deepEqual(reports[0]?.dropped, reports[1]?.dropped);
    });
  });

  it("the same answer to other texts proposes nothing twice", async () => {
    await check(async (files, operations) => {
      const memory = await open(files);
      const proposeFrom = async (message: string): Promise<string[]> => {
        await learnFrom(memory, [operations, []], { messages: said(message), limits, allowDelete: true });
        return (await waiting(memory)).map(({ id }) => id);
      };
      deepEqual(await proposeFrom("x"), await proposeFrom("y"));
    });
  });

  it("additions alone happen with append-only: no text of a file goes", async () => {
    await check(async (files, operations, other) => {
      const memory = await open(files);
      await learnFrom(memory, [operations, other], { messages: said("x"), limits, apply: "append-only" });
      const after = await texts(memory);
      for (const [file, content] of Object.entries(files)) {
        ok(after[file]?.startsWith(content), `${file} begins as before`);
        if (!isInside(file)) equal(after[file], content);
      }
      for (const file of Object.keys(after)) ok(file in files || isInside(file), file);
    });
  });

  it("an answer whose operations are all refused leaves the memory equal", async () => {
    await check(async (files, operations, other) => {
      const memory = await open(files);
      const before = await memory.snapshot();
      const write = ["/nowhere/**"];
      const report = await learnFrom(memory, [operations, other], { messages: said("x"), write, apply: "append-only" });
      deepEqual([report.proposals, report.applied], [[], []]);
      deepEqual(await memory.snapshot(), before);
      deepEqual(await waiting(memory), []);
    });
  });
});
