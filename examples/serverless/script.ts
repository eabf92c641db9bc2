import type { Script } from "../shared/scripted-chat-model.js";

/** What the scripted model says: it notes what it is told, and answers from the memory it is shown. */
export const script: Script = (messages) => {
  const last = messages.at(-1);
  if (last?.type === "tool") return "I have noted it.";
  if (last?.text.startsWith("I ")) return { tool: "memory", args: { command: "append", path: "/profile", content: last.text } };
  return `I know of you: ${messages[0]?.text.match(/(?<=^\| )I .*$/m)?.[0] ?? "nothing"}`;
};
