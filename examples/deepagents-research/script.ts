import type { Script } from "../shared/scripted-chat-model.js";

const read = (comet: string) => ({ tool: "read_file", args: { file_path: `/memories/comets/${comet}.md` } });
const lookUp = (comet: string) => ({ tool: "look_up", args: { comet } });
const note = (comet: string, content: string) => ({ tool: "write_file", args: { file_path: `/memories/comets/${comet}.md`, content } });
const list = (comet: string) => ({
  tool: "edit_file",
  args: { file_path: "/memories/AGENTS.md", old_string: `- ${comet}: open`, new_string: `- ${comet}: /memories/comets/${comet}.md` },
});

/** What the scripted model says: it looks up what its memory does not know, and notes it for later. */
export const script: Script = (messages) => {
  const answered = messages.filter(({ type }) => type === "tool").map(({ name }) => name);
  const notes = messages[0]?.text.includes("- halley: /memories/comets/halley.md") === true;
  if (notes) return answered.includes("read_file") ? "Encke: it returns every 3.3 years, Halley every 75." : [read("halley"), read("encke")];
  if (answered.includes("edit_file")) return "Halley returns every 75 years, Encke every 3.3.";
  if (!answered.includes("look_up")) return [lookUp("halley"), lookUp("encke")];
  return [
    note("halley", "Period: 75 years. Next: 2061.\n"),
    note("encke", "Period: 3.3 years.\n"),
    // Two edits of one file at once: neither is lost.
    list("halley"),
    list("encke"),
    { tool: "write_file", args: { file_path: "/draft.md", content: "Halley 75, Encke 3.3" } },
  ];
};
