import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { learn, type LearnReport } from "../../../src/learn/index.js";
import { change, learnFrom, said, waiting } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const newMemory = (): Memory => store.memory({ nodeId: randomUUID() }, { paths: "posix" });

/** Learns by LangChain's own way to structured output, which the fake model leaves out. */
async function learnByTool(
  memory: Memory,
  ...answers: (AIMessage | Error)[]
): Promise<LearnReport & { calls: number }> {
  const model = fakeModel();
  for (const answer of answers) model.respond(answer);
  Object.assign(model, { withStructuredOutput: Reflect.get(BaseChatModel.prototype, "withStructuredOutput") });
  return { ...(await learn({ memory, model, messages: said("I moved to Oslo.") })), calls: model.callCount };
}

const written = change("write", "/profile/a.md", { text: "Lives in Oslo." });
const name = "memory_operations";
const answerJson = JSON.stringify({ operations: [written] });
const asCall = (args: object): AIMessageChunk =>
  new AIMessageChunk({ content: "", tool_calls: [{ name, args, id: "1" }] });
const inChunks = (args: string, response_metadata: object = {}): AIMessageChunk =>
  new AIMessageChunk({ content: "", tool_call_chunks: [{ name, args, id: "1", index: 0 }], response_metadata });

describe("answers of models", () => {
  it.each<[string, AIMessage]>([
    ["a call of a tool", asCall({ operations: [written] })],
    ["a streamed call of a tool", inChunks(answerJson)],
    [
      "a call in a message that was not streamed",
      new AIMessage({ content: "", tool_calls: [{ name, args: { operations: [written] }, id: "1" }] }),
    ],
    ["JSON in a text", new AIMessage(answerJson)],
  ])("are read as %s", async (_name, answer) => {
    const memory = newMemory();
    const { dropped, calls } = await learnByTool(memory, answer);
    expect([dropped, calls]).toEqual([[], 1]);
    expect((await waiting(memory)).map(({ path, content }) => [path, content])).toEqual([
      ["/profile/a.md", "Lives in Oslo."],
    ]);
  });

  it.each<[string, AIMessage]>([
    ["a refusal", new AIMessage({ content: "", additional_kwargs: { refusal: "I cannot help with that." } })],
    ["prose", new AIMessage("There is nothing worth keeping, I think.")],
    ["an empty text", new AIMessage("")],
    ["JSON that is cut", new AIMessage(answerJson.slice(0, -10))],
    ["a fence of Markdown around nothing", new AIMessage("```json\n```")],
    [
      "another tool",
      new AIMessageChunk({ content: "", tool_calls: [{ name: "memory", args: { command: "delete" }, id: "1" }] }),
    ],
    ["an answer of another shape", asCall({ changes: [written] })],
  ])("change nothing if they are %s", async (_name, answer) => {
    const memory = newMemory();
    const report = await learnByTool(memory, answer, answer);
    expect(report).toMatchObject({ proposals: [], isUpToDate: false, calls: 2 });
    expect(report.dropped).toMatchObject([{ why: "the answer is cut, or is not a list of operations" }]);
    expect(await waiting(memory)).toEqual([]);
  });

  // OpenAI's client throws these.
  class LengthFinishReasonError extends Error {}
  it.each([
    ["is no JSON", new SyntaxError("Unexpected token")],
    ["is cut", new LengthFinishReasonError()],
  ])("may be thrown by a client where one %s", async (_name, error) => {
    const { dropped } = await learnByTool(newMemory(), error, error);
    expect(dropped).toMatchObject([{ why: "the answer is cut, or is not a list of operations" }]);
  });

  it("can be right after one that was not", async () => {
    const { proposals, dropped } = await learnByTool(
      newMemory(),
      new AIMessage("Sure!"),
      asCall({ operations: [written] }),
    );
    expect([proposals.length, dropped]).toEqual([1, []]);
  });

  it.each([
    { finish_reason: "length" },
    { finishReason: "MAX_TOKENS" },
    { stop_reason: "max_tokens" },
    { stopReason: "max_tokens" },
    { done_reason: "length" },
    { status: "incomplete" },
  ])("are not read if the provider has cut them: %j", async (metadata) => {
    const memory = newMemory();
    // LangChain completes this: without the second source, which the model trusts less.
    const cut = inChunks(answerJson.replace('["s1"]}]}', '["s1"'), metadata);
    expect(cut.tool_calls?.[0]?.args).toEqual({ operations: [written] });
    const { dropped } = await learnByTool(memory, cut, cut);
    expect(dropped).toMatchObject([{ why: "the answer is cut, or is not a list of operations" }]);
    expect(await waiting(memory)).toEqual([]);
  });

  it("that never come end with the signal, and the next run does the work", async () => {
    const memory = newMemory();
    const controller = new AbortController();
    const late = (): Promise<object> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const options = { messages: said("x"), signal: controller.signal };
    await expect(learnFrom(memory, [late], options)).rejects.toThrow(/abort/i);
    expect(await waiting(memory)).toEqual([]);
    expect(await learnFrom(memory, [[written]], { messages: said("x") })).toMatchObject({
      isUpToDate: false,
    });
  });

  it("of which a part was proposed when the signal aborted are proposed once, by the next run", async () => {
    const memory = newMemory();
    const { nodeId } = memory.address;
    const controller = new AbortController();
    const guarded: string[] = [];
    const guard = ({ path }: { path: string }): void => {
      guarded.push(path);
      // The guard sees each text when the answer is checked, and again when the change is made.
      if (guarded.length === 4) controller.abort(new Error("enough"));
    };
    const node = new MemoryNode({ store, nodeId, paths: "posix", guard });
    const operations = [written, change("write", "/profile/b.md", { text: "Likes tea." })];
    const paths = async (): Promise<string[]> => (await waiting(memory)).map(({ path }) => path);
    const aborted = learnFrom(node, [operations], { messages: said("x"), signal: controller.signal });
    await expect(aborted).rejects.toThrow("enough");
    expect(await paths()).toEqual(["/profile/a.md"]);
    expect((await learnFrom(memory, [operations], { messages: said("x") })).proposals).toHaveLength(2);
    expect(await paths()).toEqual(["/profile/a.md", "/profile/b.md"]);
  });
});
