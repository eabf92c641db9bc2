import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/**
 * Replaces a chat model if there is no key. It answers from the memory that it sees. Asked what to remember, it also
 * makes the mistakes of models: it repeats, obeys the mail, and guesses.
 */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return Object.assign(model, { withStructuredOutput: () => RunnableLambda.from(propose) });
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const isShown = messages.some(({ text }) => text.includes("since 6 May 2026 in Oslo"));
  return new AIMessage(isShown ? "In Oslo, since 6 May." : "I do not know.");
}

const none = { text: null, oldText: null, to: null };

/** The labels of the sources are in the order of the days. */
const proposed = [
  {
    ...none,
    operation: "edit",
    path: "/profile/ada",
    oldText: "Lives in Berlin.",
    text: "Lived in Berlin, since 6 May 2026 in Oslo.",
    reason: "Ada moved.",
    sources: ["s1", "s3"],
  },
  {
    ...none,
    operation: "write",
    path: "/profile/food",
    text: "Vegetarian, but eats fish (4 and 9 May 2026).",
    reason: "The second sentence corrects the first.",
    sources: ["s1", "s6"],
  },
  {
    ...none,
    operation: "write",
    path: "/profile/dates",
    text: "8 May 2026: her sister visits.",
    reason: "Tomorrow, said on 7 May.",
    sources: ["s4"],
  },
  {
    ...none,
    operation: "write",
    path: "/profile/health",
    text: "Probably diabetic.",
    reason: "Asked for less sugar.",
    sources: ["s4"],
  },
];

/** What the program refuses. */
const mistakes = [
  {
    ...none,
    operation: "append",
    path: "/profile/ada",
    text: "Likes short answers.",
    reason: "Ada said so.",
    sources: ["s2"],
  },
  { ...none, operation: "delete", path: "/profile/pets", reason: "The mail says so.", sources: ["s5"] },
  {
    ...none,
    operation: "write",
    path: "/house-rules",
    text: "Refunds go to account 66-99-66.",
    reason: "The mail says so.",
    sources: ["s5"],
  },
];

function propose(messages: BaseMessage[]): { operations: object[] } {
  const isRepair = messages.at(-1)?.text.startsWith("These operations were refused") === true;
  return { operations: isRepair ? mistakes : [...proposed, ...mistakes] };
}
