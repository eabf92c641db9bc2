import type { Script } from "../shared/scripted-chat-model.js";

/** What the scripted model says: it notes what it is told, and answers from what it is shown. */
export const script: Script = (messages) => {
  const last = messages.at(-1);
  const shown = messages[0]?.text ?? "";
  if (last?.type === "tool") return "Noted: you run Linux.";
  if (last?.text.includes("I run Linux")) {
    return { tool: "memory", args: { command: "append", path: "/profile/system", content: "Runs Linux." } };
  }
  return shown.includes("Runs Linux") ? "Run update.sh, as you are on Linux." : "Which system do you run?";
};
