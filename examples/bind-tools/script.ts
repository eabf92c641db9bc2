import type { Script, ScriptedAnswer } from "../shared/scripted-chat-model.js";

const steps: ScriptedAnswer[] = [
  { tool: "memory", args: { command: "read", path: "/tasks/garden" } },
  { tool: "memory", args: { command: "append", path: "/tasks/garden", content: "[ ] water the beans\n[ ] sow kale" } },
  { tool: "memory", args: { command: "update", path: "/tasks/garden", oldContent: "[ ] water", content: "[x] water" } },
  "The beans are done; the kale is still to sow.",
];

/** What the scripted model says: one step after another, as many as there are answers of tools so far. */
export const script: Script = (messages) => steps[messages.filter(({ type }) => type === "tool").length] ?? "Done.";
