import { deepEqual, equal, match } from "node:assert/strict";
import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { MemoryNode } from "langgraph-mongo-memory";
import { MemoryBackend } from "langgraph-mongo-memory/deepagents";
import { z } from "zod";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { say } from "../shared/print.js";
import { script } from "./script.js";

const { model, name: modelName } = await chooseModel(script);
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}`);

/** Stands for a search engine. */
const catalogue = new Map([
  ["halley", "1P/Halley: period 75 years, next perihelion 2061"],
  ["encke", "2P/Encke: period 3.3 years"],
]);
const lookedUp: string[] = [];
const lookUp = tool(
  ({ comet }) => {
    lookedUp.push(comet);
    return catalogue.get(comet.toLowerCase()) ?? "unknown";
  },
  { name: "look_up", description: "Looks a comet up in a catalogue, which is slow.", schema: z.object({ comet: z.string() }) },
);

function show(messages: readonly BaseMessage[]): void {
  for (const message of messages) {
    const calls = "tool_calls" in message ? (message.tool_calls as { name: string; args: unknown }[]) : [];
    for (const { name, args } of calls) say(`  ${name}(${JSON.stringify(args)})`);
    if (message.type === "tool") say(message.text.replaceAll(/^/gm, "    | "));
  }
}

try {
  const memoryNode = new MemoryNode({ store, nodeId: "example-deepagents-research", paths: "posix" });
  const memory = memoryNode.memory();
  // An earlier run may have left notes in MongoDB.
  await memory.delete("/");
  await memory.write("/AGENTS.md", "Keep what you find out in /memories/comets, one file for each comet:\n- halley: open\n- encke: open\n");

  /** An agent of its own each time, as in another process: all that they share is the memory. */
  const ask = async (thread_id: string, content: string): Promise<string> => {
    say(`\n[${thread_id}] ${content}`);
    const agent = createDeepAgent({
      model,
      tools: [lookUp],
      systemPrompt: "You do research on comets. What lies in /memories stays, everything else goes with the conversation.",
      backend: new CompositeBackend(new StateBackend(), { "/memories/": new MemoryBackend(memoryNode) }),
      memory: ["/memories/AGENTS.md"],
    });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, { configurable: { thread_id } });
    show(messages);
    const answer = messages.at(-1)?.text ?? "";
    say(`  Answer: ${answer}`);
    return answer;
  };

  await ask("monday", "How often do the comets Halley and Encke return?");
  const askedOnMonday = lookedUp.length;
  const answer = await ask("tuesday", "Which returns more often, Halley or Encke?");

  match(answer, /Encke/, "another thread knows the answer");
  equal(lookedUp.length, askedOnMonday, "from the notes, without looking anything up");
  const { files } = await memory.snapshot();
  deepEqual(files.filter(({ path }) => path.includes("draft")), [], "what is not in /memories went with its thread");

  say("\nThe memory now:");
  for (const { path, content } of files) say(`  ${path}\n${content.trimEnd().replaceAll(/^/gm, "    | ")}`);
} finally {
  await close();
}
