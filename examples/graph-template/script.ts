import type { Script } from "../shared/scripted-chat-model.js";

/** What the scripted model says: it notes what it is told, and looks up what it is asked. */
export const script: Script = (messages) => {
  const asked = messages.findLast(({ type }) => type === "human")?.text ?? "";
  const last = messages.at(-1);
  if (last?.type === "tool") return asked.endsWith("?") ? "On Mondays. Have you watered them today?" : "I have noted it.";
  return asked.endsWith("?")
    ? { tool: "memory_readonly", args: { command: "read", path: "/garden/beans" } }
    : { tool: "memory_write", args: { command: "append", path: "/garden/beans", content: "Watered on Mondays." } };
};
