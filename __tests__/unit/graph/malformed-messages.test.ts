import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { CallModelNode, createConversationLog, createMemoryPrompt, MemoryNode } from "../../../src/index.js";
import { createLearnNode, learnMiddleware } from "../../../src/learn/index.js";
import { createLearningModel } from "../../helpers/learning-model.js";
import { untyped } from "../../helpers/memory-case.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

const malformed: [name: string, message: unknown, reason: string][] = [
  ["null", null, "it is neither an object nor a text"],
  ["a number", 7, "it is neither an object nor a text"],
  ["an object without a role", { content: "Hi" }, "Unable to coerce message"],
  ["a block that is null", { role: "user", content: [null] }, "its content must be a text or a list of blocks"],
];

/** The states of a graph, and the reasons why they cannot be read. */
const states: [name: string, state: unknown, reason: string][] = [
  ...malformed.map(([name, message, reason]): [string, unknown, string] => [
    name,
    { messages: [new HumanMessage("Hi"), message] },
    `messages[1] is no message: ${reason}`,
  ]),
  ["no messages", {}, "messages must be a list of messages (given undefined)"],
  ["no state", null, "messages must be a list of messages (given undefined)"],
];

type Job = (state: never, config: never) => Promise<unknown>;

const createNode = (): MemoryNode => new MemoryNode({ nodeId: "n", store: new InMemoryStore() });

describe.each(states)("A state with %s", (_name, state, reason) => {
  /** Runs a job that goes after the answer, and returns what it reports. */
  async function run(create: (onError: (error: Error) => void) => Job): Promise<string[]> {
    const errors: Error[] = [];
    await create((error) => void errors.push(error))(untyped(state), untyped({}));
    return errors.map(({ message }) => message);
  }

  it("does not end the run of a log, which reports the reason", async () => {
    const reported = await run((onError) => createConversationLog({ memory: createNode(), onError }));
    expect(reported).toEqual([expect.stringContaining(`EIO: the messages could not be logged: ${reason}`)]);
  });

  it("does not end a run that learns, which reports the reason", async () => {
    const { model } = createLearningModel(() => []);
    const expected = [expect.stringContaining(`EIO: learning failed: ${reason}`)];
    expect(await run((onError) => createLearnNode({ memory: createNode(), model, onError }))).toEqual(expected);
    const afterAgent = (onError: (error: Error) => void): Job =>
      learnMiddleware({ memory: createNode(), model, onError }).afterAgent;
    expect(await run(afterAgent)).toEqual(expected);
  });

  it("is refused before the model is called, by its place in the state", async () => {
    const node = new CallModelNode({ model: new ScriptedChatModel(() => "no"), systemPrompt: "Be brief." });
    const connected = new CallModelNode({
      model: new ScriptedChatModel(() => "no"),
      systemPrompt: "Be brief.",
      memoryConnector: createNode(),
    });
    const prompt = createMemoryPrompt({ connector: createNode(), systemPrompt: "Be brief." });
    const calls = [
      () => node.invoke(untyped(state)),
      () => connected.invoke(untyped(state)),
      async () => prompt(untyped(state), {}),
    ];
    for (const call of calls) {
      const refused = call();
      await expect(refused).rejects.toThrow(TypeError);
      await expect(refused).rejects.toThrow(reason);
    }
  });
});

it.each(malformed)("inject refuses a list with %s, and names its place", async (_name, message, reason) => {
  const refused = createNode()
    .createConnector()
    .inject([new HumanMessage("Hi"), untyped(message)]);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(`messages[1] is no message: ${reason}`);
});
