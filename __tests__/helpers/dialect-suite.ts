import assert from "node:assert/strict";
import { expect, it } from "@jest/globals";
import { ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { GraphInterrupt } from "@langchain/langgraph";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, type MemorySource, openMemory } from "../../src/index.js";
import fc from "./fast-check.js";
import { freshAddress } from "./memory-case.js";
import { anyCharacter } from "./any-character.js";
import { type BackendUnderTest, storageSecrets } from "./backends-under-test.js";
import { Task } from "./call-in-task.js";
import { repetitions } from "./repetitions.js";

export interface DialectCall {
  tool: string;
  args: Record<string, unknown>;
}

export type Outcome = "ok" | "refused";

/** A dialect as it is tested on every backend. */
export interface DialectUnderTest {
  tools: (source: MemorySource) => StructuredTool[];
  /** Returns the outcome in an answer. Throws if the answer is not in the dialect's format. */
  outcomeOf: (answer: string) => Outcome;
  /** Each command once, for a memory in which the `prepare` calls were made. */
  commands: Record<string, DialectCall>;
  /** Creates the data for the commands and the parallel calls. */
  prepare: DialectCall[];
  /** Calls that must all succeed when many of them are made at once. Each leaves `markOf(index)` in a file, once. */
  parallel: Record<string, ParallelCalls>;
  /** Calls of which one must succeed when many of them are made at once. */
  exclusive: Record<
    string,
    ParallelCalls & { /** The marks in the files afterwards. */ left: (winner: number) => number[] }
  >;
  /** The hints that an MCP client gets about each tool. */
  hints: Record<string, { title: string; readOnly: boolean; destructive: boolean }>;
}

export interface ParallelCalls {
  /** Calls needed in addition to `prepare`. */
  before?: DialectCall[];
  call: (index: number) => DialectCall;
}

/** The text that a call leaves in the memory. No mark contains another. */
export const markOf = (index: number): string => `<mark ${index}>`;

export const parallelCalls = repetitions({ usual: 15, long: 50 });
export const parallelIndices = Array.from({ length: parallelCalls }, (_, index) => index);

/** One line for each parallel call, which the call may replace by its mark. */
export const parallelLines = parallelIndices.map((index) => `[line ${index}]\n`).join("");

/**
 * @param hasForm whether the answer meets this dialect's own conditions. @param others fields that should not exist.
 * @param told the result in the answer.
 */
export function checkedOutcome(hasForm: boolean, others: object, isOk: boolean, told: unknown): Outcome {
  if (!hasForm || Object.keys(others).length > 0 || told === undefined) throw new Error("an answer in another form");
  return isOk ? "ok" : "refused";
}

/** Tests what a dialect must do on any memory. */
export function testTools(dialect: DialectUnderTest): void {
  const bench = (source: MemorySource): Bench => new Bench(dialect, source);
  const freshBench = (): Bench => bench(openMemory(new InMemoryStore(), freshAddress()));
  const calls = Object.values(dialect.commands);

  it("describes each tool by a flat schema that takes nothing else", () => {
    for (const { schema, description } of freshBench().tools) {
      expect(schema).toMatchObject({ type: "object", properties: expect.any(Object), additionalProperties: false });
      expect(Object.keys(schema)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(oneOf|anyOf|allOf)$/)]));
      expect(description.length).toBeGreaterThan(20);
    }
  });

  it("has all of its commands in this suite", () => {
    expect(commandsOf(calls)).toEqual(commandsOf(freshBench().tools.flatMap(offeredBy)));
  });

  it.each<[source: string, open: () => Memory]>([
    ["fails", () => assert.fail("mongodb://admin:hunter2@127.0.0.1:27017")],
    ["answers nothing", () => undefined as never],
    ["answers no memory", () => ({}) as never],
  ])("refuses each call where the source of the memory %s", async (_source, open) => {
    for (const call of calls) {
      expect(await bench(open).outcome(call)).toEqual(["refused", "error"]);
      expect(await bench(open).text(call)).toMatch(/the memory could not be opened/i);
    }
  });

  it("passes on an interrupt", async () => {
    const { invoke } = bench(() => {
      throw new GraphInterrupt([{ value: "may I?" }]);
    });
    for (const call of calls) await expect(invoke(call)).rejects.toBeInstanceOf(GraphInterrupt);
  });
}

/** Tests what a dialect must do on one backend. @param hostileRuns lists of arguments of any shape. */
export function testDialect(dialect: DialectUnderTest, backend: BackendUnderTest, hostileRuns: number): void {
  const bench = (source: MemorySource = backend.open(freshAddress())): Bench => new Bench(dialect, source);

  it.each(Object.entries(dialect.commands))(
    "%s works, and is refused in the dialect's form where the storage fails",
    async (_title, call) => {
      const prepared = bench();
      await prepared.run(dialect.prepare);
      expect(await prepared.outcome(call)).toEqual(["ok", "success"]);
      expect(await bench(backend.openFailing()).outcome(call)).toEqual(["refused", "error"]);
    },
  );

  it("answers arguments of any shape in its own form, never throwing", async () => {
    const { tools, outcome } = bench();
    const values = [...Object.values(dialect.commands), ...dialect.prepare].flatMap(({ args }) => Object.values(args));
    const value = fc.oneof(
      fc.constantFrom(...values),
      fc.string({ unit: anyCharacter }),
      fc.anything(),
      fc.constantFrom("\uD800", "\0", null),
    );
    const arguments_ = fc.constantFrom(...tools).chain((tool) =>
      fc.record({
        tool: fc.constant(tool.name),
        args: fc.oneof(
          fc.anything(),
          fc.dictionary(fc.constantFrom(...namesOf(tool), "other", "__proto__", "type"), value),
        ),
      }),
    );
    const property = fc.asyncProperty(arguments_, async (call) => {
      const [said, status] = await outcome(call as DialectCall);
      expect(status).toBe(said === "ok" ? "success" : "error");
    });
    await fc.assert(property, { numRuns: hostileRuns });
  });

  /** The calls at once, by two programs. @returns their answers, and how often each mark is in the files */
  async function runAtOnce({ before = [], call }: ParallelCalls): Promise<{ outcomes: Outcome[]; marks: number[] }> {
    const address = freshAddress();
    const [one, other] = [bench(backend.open(address)), bench(backend.open(address))];
    await one.run(dialect.prepare);
    await one.run(before);
    const answers = await Promise.all(
      parallelIndices.map((index) => (index % 2 === 0 ? one : other).outcome(call(index))),
    );
    const text = await textOf(backend.open(address));
    const marks = parallelIndices.map((index) => text.split(markOf(index)).length - 1);
    return { outcomes: answers.map(([said]) => said), marks };
  }

  it.each(Object.entries(dialect.parallel))(
    `${parallelCalls} parallel %s all land, once each`,
    async (_title, calls) => {
      const { outcomes, marks } = await runAtOnce(calls);
      expect(outcomes.filter((outcome) => outcome !== "ok")).toEqual([]);
      expect(marks).toEqual(parallelIndices.map(() => 1));
    },
  );

  for (const [title, { left, ...calls }] of Object.entries(dialect.exclusive)) {
    it(`of ${parallelCalls} parallel ${title} one lands, and the others change nothing`, async () => {
      const { outcomes, marks } = await runAtOnce(calls);
      expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
      const expected = left(outcomes.indexOf("ok"));
      expect(marks).toEqual(parallelIndices.map((index) => (expected.includes(index) ? 1 : 0)));
    });
  }

  it.each(Object.entries(dialect.commands))(
    "%s is made once if the task of its call runs again",
    async (_title, call) => {
      const address = freshAddress();
      const { run, text } = bench(backend.open(address));
      await run(dialect.prepare);
      const task = new Task();
      const first = await text(call, task.attempt());
      const files = await textOf(backend.open(address));
      expect(withoutTimes(await text(call, task.attempt()))).toBe(withoutTimes(first));
      expect(await textOf(backend.open(address))).toBe(files);
    },
  );

  it("keeps threads apart, and answers where the run has none", async () => {
    const address = freshAddress();
    const openThread = (threadId = ""): Memory => backend.open({ ...address, scope: "perThread", threadId });
    const { run, outcome } = bench(({ threadId }) => openThread(threadId));
    const [parallel] = Object.values(dialect.parallel);
    for (const [index, thread_id] of ["t", "t/", "T"].entries()) {
      const config = { configurable: { thread_id } };
      await run(dialect.prepare, config);
      if (parallel) await run([...(parallel.before ?? []), parallel.call(index)], config);
    }
    for (const call of Object.values(dialect.commands)) expect(await outcome(call)).toEqual(["refused", "error"]);
    const texts = await Promise.all(["t", "t/", "T"].map((threadId) => textOf(openThread(threadId))));
    expect(texts.map((text) => [0, 1, 2].filter((index) => text.includes(markOf(index))))).toEqual([[0], [1], [2]]);
    expect(await textOf(backend.open(address))).toBe("");
  });

  it("passes on an abort, and has then done nothing", async () => {
    const address = freshAddress();
    const { invoke } = bench(backend.open(address));
    const reason = new Error("stopped by the user");
    for (const call of [
      ...Object.values(dialect.commands),
      ...dialect.prepare,
      { tool: dialect.prepare[0]?.tool ?? "", args: {} },
    ]) {
      await expect(invoke(call, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    }
    expect((await backend.open(address).snapshot()).files).toEqual([]);
  });
}

/** The tools of a dialect, called as a model would call them. */
class Bench {
  readonly tools: StructuredTool[];
  readonly #dialect: DialectUnderTest;

  constructor(dialect: DialectUnderTest, source: MemorySource) {
    this.#dialect = dialect;
    this.tools = dialect.tools(source);
  }

  readonly invoke = async ({ tool: name, args }: DialectCall, config?: object): Promise<unknown> => {
    const tool = this.tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.invoke({ type: "tool_call", id: "1", name, args }, config);
  };

  /** The outcome in the answer, and the status of the message. */
  readonly outcome = async (call: DialectCall, config?: object): Promise<[Outcome, unknown]> => {
    const message = await this.invoke(call, config);
    if (!ToolMessage.isInstance(message)) throw new Error("not a ToolMessage");
    expect(message.text).not.toMatch(storageSecrets);
    expect(message.text.isWellFormed()).toBe(true);
    return [this.#dialect.outcomeOf(message.text), message.status ?? "success"];
  };

  readonly text = async (call: DialectCall, config?: object): Promise<string> => {
    const message = await this.invoke(call, config);
    return ToolMessage.isInstance(message) ? message.text : "";
  };

  readonly run = async (calls: DialectCall[], config?: object): Promise<void> => {
    for (const call of calls) expect(await this.outcome(call, config)).toEqual(["ok", "success"]);
  };
}

/** The texts of all files except the dialect's own files. */
async function textOf(memory: Memory): Promise<string> {
  const { files } = await memory.snapshot();
  return files.flatMap(({ path, content }) => (path.includes("/.") ? [] : content)).join("\n");
}

/** A dialect may answer the time of the call. */
const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, "");

const namesOf = ({ schema }: StructuredTool): string[] => Object.keys((schema as { properties: object }).properties);

/** One call for each command of a tool, with the argument that selects the command. */
function offeredBy(tool: StructuredTool): DialectCall[] {
  const { command } = (tool.schema as { properties: { command?: { enum: string[] } } }).properties;
  return (command?.enum ?? [undefined]).map((name) => ({ tool: tool.name, args: { command: name } }));
}

function commandsOf(calls: DialectCall[]): string[] {
  return [...new Set(calls.map(({ tool, args }) => `${tool} ${String(args["command"])}`))].toSorted();
}
