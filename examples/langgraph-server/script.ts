import type { Script } from "../shared/scripted-chat-model.js";

/** What the scripted model says: it notes what it is told, and answers from the memory it is shown. */
export const script: Script = (messages) => {
  const last = messages.at(-1);
  if (last?.type === "tool") return "Noted for everyone.";
  if (last?.text.includes("moved")) {
    return { tool: "memory", args: { command: "append", path: "/servers/staging", content: "Port 8443 since Monday." } };
  }
  return messages[0]?.text.includes("8443") ? "Staging listens on port 8443." : "I do not know the port.";
};
