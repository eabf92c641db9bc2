import type { Script } from "../shared/scripted-chat-model.js";

const oneCall = (args: Record<string, unknown>, answer: string): Script => (messages) =>
  messages.at(-1)?.type === "tool" ? answer : { tool: "memory", args };

/** What the scripted models of the three agents say. */
export const scripts = {
  roads: oneCall({ command: "append", path: "/findings", content: "The bridge at Mill Lane is closed." }, "I have noted the bridge."),
  weather: oneCall({ command: "append", path: "/findings", content: "Storm from the west at noon." }, "I have noted the storm."),
  // It tries to write, and is told that it may not.
  desk: oneCall({ command: "delete", path: "/findings" }, "I may not delete the findings: the bridge is closed, and a storm comes."),
} satisfies Record<string, Script>;
