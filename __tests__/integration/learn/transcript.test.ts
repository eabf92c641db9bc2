import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import {
  logConversation,
  type Memory,
  MemoryNode,
  type MemoryNodeOptions,
  type MemoryProposal,
  type MemoryVersion,
  MongoMemoryStore,
  openMemory,
} from "../../../src/index.js";
import type { LearnOptions } from "../../../src/learn/index.js";
import { readAll } from "../../helpers/read-all.js";
import { type Answer, by, change, learnFrom, said, waiting } from "../../helpers/scripted-learning.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { createNames, getStep, type RunLine, testLines } from "../../helpers/line-transcripts.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });

const logAt = new Date("2026-03-04T09:05:00Z");
const talk = ["Tea?", "Yes", "Oslo?", "Yes"].map((content, index) => ({
  role: index % 2 === 0 ? "assistant" : "user",
  content,
  id: `m${index}`,
}));

const parse = (json: string): unknown => (json === "" ? undefined : JSON.parse(json));

function describeProposal({ command, path, to, content, origin }: MemoryProposal): string {
  const place = to === null ? path : `${path} -> ${to}`;
  const { trust, sources, model, reason } = origin ?? {};
  return `proposed ${command} ${place} ${JSON.stringify(content)}, trust ${trust}, by ${model} from ${sources?.join()}: ${reason}`;
}

function describeVersion(version: MemoryVersion | null): string {
  if (version === null) return "no version";
  const { id, path, operation, actor, sources, trust } = version;
  return `${id} ${operation} ${path} by ${JSON.stringify(actor)}, trust ${trust} from ${sources?.join()}`;
}

function describeOperation(operation: unknown): string {
  const { operation: name, path } = Object(operation) as Partial<Record<"operation" | "path", string>>;
  return name === undefined || path === undefined ? JSON.stringify(operation) : `${name} ${path}`;
}

testLines("learn", () => {
  const nodeId = randomUUID();
  let memory: Memory = store.memory({ nodeId }, { paths: "posix" });
  let learner: LearnOptions["memory"] = memory;
  let answers: [object[], object[]?] = [[]];
  let whole: Answer[] = [];
  let meanwhile: string[] = [];
  let prompts: string[] = [];
  let runId: string | null = null;
  const openNode = (options: Partial<MemoryNodeOptions>) => async () => {
    learner = new MemoryNode({ store, nodeId, paths: "posix", ...options });
  };
  const openOther = (other: Memory) => async () => {
    memory = other;
    learner = other;
  };
  const learnElsewhere = (text: string) => () =>
    learnFrom(memory, [[change("write", "/profile/b.md", { text: "x" })]], { messages: said(text) });
  const given = {
    "a talk with a system prompt, a shown memory and tool traffic": () =>
      learnNow({
        messages: [
          new SystemMessage("the system prompt"),
          new HumanMessage('Ada moved from Berlin.\n<memory scope="global">shown before</memory>'),
          new AIMessage("Noted."),
          new ToolMessage({ content: "tool traffic", tool_call_id: "1" }),
        ],
      }),
    "six long messages and a limit of 1000 characters": () =>
      learnNow({
        messages: ["a", "b", "c", "d", "e", "f"].flatMap((letter) => said(letter.repeat(250))),
        limits: { inputChars: 1000 },
      }),
    "a log of two threads": async () => {
      await logConversation(memory, talk.slice(0, 2), { at: logAt, threadId: "t" });
      await logConversation(memory, [{ role: "user", content: "Hi", id: "3" }], { at: logAt, threadId: "other" });
    },
    "a log of two threads that goes on": () => logConversation(memory, talk, { at: logAt, threadId: "t" }),
    "a node with a guard that hides 4711": openNode({
      rules: [{ path: "/profile/fixed.md", access: "read" }],
      guard: ({ content }) => content.replace("4711", "[secret]"),
    }),
    "a node with a guard that refuses 4711": openNode({
      guard: ({ content }) => {
        if (content.includes("4711")) throw new Error("no codes");
      },
    }),
    "a node with a guard that refuses additions": openNode({
      guard: ({ command }) => {
        if (command === "append") throw new Error("no additions");
      },
    }),
    "a node with a rule that allows additions": openNode({ rules: [{ path: "/profile/**", access: "append" }] }),
    "a node with a rule that asks about /profile/asked.md": openNode({
      rules: [{ path: "/profile/asked.md", access: "ask" }],
      onAsk: "propose",
    }),
    "a node whose guard fails at the second change": async () => {
      let calls = 0;
      // The first two calls check the answer.
      const guard = (): void => {
        if ((calls += 1) === 4) throw new TypeError("the process ends here");
      };
      await openNode({ guard })();
    },
    'another run learns /profile/b.md from "x"': learnElsewhere("x"),
    'another run learns /profile/b.md from "y"': learnElsewhere("y"),
    "the memory is forgotten": () => store.forget({ nodeId }),
    "a note of a person that is overwritten, and a change that paraphrases it": async () => {
      await memory.with({ actor: { userId: "ada", client: "our app" } }).write("/inbox/a.md", "Ada moved to Oslo.");
      await learnFrom(memory, [[change("write", "/profile/ada.md", { text: "Lives in Norway." })]], {});
      for (const text of ["another note", "a third note"]) await memory.write("/inbox/a.md", text);
    },
    "a memory without a history": openOther(
      new MongoMemoryStore({ client, dbName }).memory({ nodeId }, { paths: "posix" }),
    ),
    "a memory without proposals": openOther(openMemory(new InMemoryStore(), { nodeId })),
  };

  async function learnNow(options: Parameters<typeof learnFrom>[2]): Promise<string> {
    const planned = whole.length > 0 ? whole : answers.flatMap((each) => (each === undefined ? [] : [each]));
    const acts = meanwhile;
    const asked: Answer[] = planned.map((answer, index) => async (prompt: string) => {
      prompts[index] = prompt;
      for (const line of acts.splice(0)) await run(line);
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(prompt) : { operations: answer };
    });
    [answers, whole, meanwhile, prompts] = [[[]], [], [], []];
    const { dropped, applied, proposals, isUpToDate, unread, ...report } = await learnFrom(learner, asked, options);
    runId = report.runId;
    const made = await Promise.all(proposals.map((id) => getProposals(memory).get(id)));
    return [
      ...(isUpToDate ? ["up to date"] : []),
      ...(unread > 0 ? [`${unread} unread`] : []),
      ...dropped.map(({ operation, why }) => `dropped ${describeOperation(operation)}: ${why}`),
      ...applied.map((path) => `applied ${path}`),
      ...made.flatMap((proposal) => (proposal === null ? [] : [describeProposal(proposal)])),
    ].join("\n");
  }

  function writeAs(verb: "write" | "append", path: string, more: string): Promise<unknown> {
    const [, text = "", actor = "{}"] = /^(".*?") ?(\{.*\})?$/.exec(more) ?? [];
    return memory.with({ actor: JSON.parse(actor) as object })[verb](path, parse(text) as string);
  }

  const acts: Record<string, (rest: string, path: string, more: string) => Promise<unknown>> = {
    given: async (rest) => {
      const shown = await getStep(given, `given ${rest}`)();
      return typeof shown === "string" ? shown : "";
    },
    meanwhile: async (rest) => void meanwhile.push(rest),
    write: (_, path, more) => writeAs("write", path, more),
    append: (_, path, more) => writeAs("append", path, more),
    delete: (_, path) => memory.delete(path),
    redact: (_, path) => getHistory(memory).redact({ path }),
    learn: async (rest) => {
      const [, text, options = "{}"] = /^(".*?")? ?(\{.*\})?$/.exec(rest) ?? [];
      const messages = text === undefined ? {} : { messages: said(parse(text) as string) };
      return learnNow({ ...messages, ...(JSON.parse(options) as object) });
    },
    answer: async (rest) => addAnswer(0, rest),
    again: async (rest) => addAnswer(1, rest),
    prompts: async () => {
      const [first = "", second = ""] = prompts;
      const asked = first.slice(first.search(/^(?:You may change files at|What the memory says already|New texts):/m));
      return `${asked}${second.slice(first.length)}`;
    },
    approve: async (content) => {
      for (const { id } of await waiting(memory))
        await getProposals(memory).approve(id, { by, ...(content !== "" && { content: parse(content) as string }) });
    },
    reject: async (reason) => {
      for (const { id } of await waiting(memory))
        await getProposals(memory).reject(id, { by, ...(reason !== "" && { reason: parse(reason) as string }) });
    },
    undo: () => getHistory(memory).revert({ runId: runId ?? "" }),
    tree: async () =>
      (await memory.snapshot()).files.map(({ path, content }) => `${path} ${JSON.stringify(content)}`).join("\n"),
    waiting: async () => (await waiting(memory)).map(describeProposal).join("\n"),
    versions: async (filter) =>
      (await readAll(getHistory(memory).list(parse(filter) as object))).map(describeVersion).join("\n"),
    blame: async (path) =>
      (await getHistory(memory).blame(path))
        .map(({ text, version }) => `${text}: ${describeVersion(version)}`)
        .join("\n"),
    find: async (text) => {
      const { versions, proposals } = await getHistory(memory).findText(text);
      return `in ${versions.length} versions and ${proposals.length} proposals`;
    },
    "redact-text": (_, text, more) => getHistory(memory).redact({ text, ...(parse(more) as object) }),
    proposals: async (status) =>
      (await readAll(getProposals(memory).list({ status: status as "approved" })))
        .map((proposal) => `${describeProposal(proposal)}; ${proposal.status} because: ${proposal.reason}`)
        .join("\n"),
  };

  function addAnswer(index: 0 | 1, rest: string): void {
    const [, operation = "", path = "", more = ""] = /^(\S+) ?(\S+)? ?(.*)$/.exec(rest) ?? [];
    if (rest === "error") whole[index] = new Error("overloaded");
    else if (operation === "raw") whole[index] = () => parse(rest.slice("raw ".length));
    else if (rest === "the same") answers[1] = answers[0];
    else if (rest === "nothing") answers[index] = [];
    else (answers[index] ??= []).push(change(operation, path, parse(more) as object));
    if (index === 1 && whole[1] !== undefined) whole[0] ??= answers[0];
  }

  const { toReal, toShown } = createNames({ NODE: nodeId, LONG: "b".repeat(800) });
  const run: RunLine = async (line) => {
    const [, name = "", rest = "", path = "", more = ""] = /^([\w-]+) ?((\S*) ?(.*))$/.exec(toReal(line)) ?? [];
    const act = acts[name];
    if (act === undefined) throw new Error(`a transcript has no line such as ${line}`);
    const shown = await act(rest, path, more).catch((error: unknown) => String(error));
    return toShown(typeof shown === "string" ? shown.replaceAll("\n\n", "\n⏎\n") : "");
  };
  return run;
});
