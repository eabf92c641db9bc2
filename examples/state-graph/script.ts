import type { Script } from "../shared/scripted-chat-model.js";

/** What the scripted model says: it notes what it is told, and answers from the memory it is shown. */
export const script: Script = (messages) => {
  const last = messages.at(-1);
  if (last?.type === "tool") return "I have noted it.";
  if (last?.text.startsWith("I am ")) {
    return { tool: "memory", args: { command: "append", path: "/profile/food", content: "Ada is vegetarian." } };
  }
  const shown = messages[0]?.text ?? "";
  return shown.includes("vegetarian") ? "Mushroom risotto." : "Anything: I know nothing about you yet.";
};
