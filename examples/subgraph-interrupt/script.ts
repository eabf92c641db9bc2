import type { Script } from "../shared/scripted-chat-model.js";

/** What the scripted model says: it notes each message, and answers by what came of it. */
export const script: Script = (messages) => {
  const last = messages.at(-1);
  if (last?.type === "tool") return last.text.includes('"ok":true') ? "Noted." : "As you wish: I have not noted it.";
  if (last?.text.startsWith("Where ")) return messages[0]?.text.includes("Mill Lane") ? "To 5 Mill Lane." : "I do not know.";
  return { tool: "memory", args: { command: "append", path: "/delivery", content: last?.text ?? "" } };
};
