import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. It looks up facts that its memory lacks, and notes them for later. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const answered = messages.filter(({ type }) => type === "tool").map(({ name }) => name);
  if (messages[0]?.text.includes("- halley: /memories/comets/halley.md")) {
    if (answered.includes("read_file")) return new AIMessage("Encke: it returns every 3.3 years, Halley every 75.");
    return callsOf(read("halley"), read("encke"));
  }
  if (answered.includes("edit_file")) return new AIMessage("Halley returns every 75 years, Encke every 3.3.");
  if (!answered.includes("look_up")) return callsOf(lookUp("halley"), lookUp("encke"));
  return callsOf(
    write("/memories/comets/halley.md", "Period: 75 years. Next: 2061.\n"),
    write("/memories/comets/encke.md", "Period: 3.3 years.\n"),
    // Two edits of one file at the same time. Neither is lost.
    list("halley"),
    list("encke"),
    write("/draft.md", "Halley 75, Encke 3.3"),
  );
}

interface Call {
  name: string;
  args: Record<string, string>;
}

const lookUp = (comet: string): Call => ({ name: "look_up", args: { comet } });
const read = (comet: string): Call => ({ name: "read_file", args: { file_path: `/memories/comets/${comet}.md` } });
const write = (path: string, content: string): Call => ({ name: "write_file", args: { file_path: path, content } });
const list = (comet: string): Call => ({
  name: "edit_file",
  args: {
    file_path: "/memories/AGENTS.md",
    old_string: `- ${comet}: open`,
    new_string: `- ${comet}: /memories/comets/${comet}.md`,
  },
});

function callsOf(...calls: Call[]): AIMessage {
  return new AIMessage({ content: "", tool_calls: calls.map((call) => ({ ...call, id: crypto.randomUUID() })) });
}
