import type { Requirements } from "./requirement.js";

const source = "specification section 14";

export const approval: Requirements = {
  "approval.verdicts": {
    source,
    says: "of several policies the strictest of yes, ask and no counts; ask and append widen each other, so a rule of the one under the other is refused",
  },
  "approval.request": {
    source,
    says: "the run waits with the request of LangChain's human-in-the-loop middleware, which holds the diff",
  },
  "approval.decisions": {
    source,
    says: "a person approves, edits the content, or rejects with a message that the model is told; any other answer changes nothing",
  },
  "approval.every-way-in": {
    source,
    says: "every dialect, deepagents, middleware, the graph template, mounts and subgraphs ask",
  },
  "approval.each-call": {
    source,
    says: "each of several calls in one step has a question of its own, and an answer to one is never taken for another's",
  },
  "approval.as-shown": {
    source,
    says: "what was approved is what is stored; if the text has changed meanwhile, or nobody knows what was asked, a person is asked again",
  },
  "approval.once": { source, says: "an interrupt that is resumed twice changes the memory once" },
  "approval.nobody": { source, says: "where nobody can be asked the change is EACCES with what would do" },
  "approval.guard": {
    source,
    says: "the guard sees a text before a person does, and the text that a person has edited",
  },
  "approval.shown": {
    source,
    says: "a diff is bounded in time and length, says what is left out, and hides no character",
  },
  "approval.told": { source, says: "tools and connectors say where a person is asked" },
  "approval.proposed": {
    source,
    says: "with onAsk: propose the change is kept as a proposal, and the tool answers its id",
  },
  "approval.inbox": {
    source,
    says: "the proposals of all memories are listed oldest first, by an index, and found by node, thread, user and status",
  },
  "approval.invisible": {
    source,
    says: "no read of any dialect, search, snapshot, connector, archive or copy of the memory's document shows a proposal",
  },
  "approval.review": {
    source,
    says: "approving makes the change if its base holds, else it is ECONFLICT with the new diff; a reviewer is named",
  },
  "approval.two-reviewers": { source, says: "of two reviewers one wins, and the other learns who" },
  "approval.crash": {
    source,
    says: "a change is made exactly once, or not, whatever crashes between two steps; the next call finishes it",
  },
  "approval.no-tool": { source, says: "no tool of a model approves or rejects, and no argument forges who did" },
  "approval.edited": {
    source: "specification section 14",
    says: "an approval with other words keeps those of the agent beside, and the history names who wrote",
  },
  "approval.redacted": {
    source,
    says: "what history redacts is taken out of proposals and of what runs wait for; open ones are rejected",
  },
  "approval.forgotten": { source, says: "forget and expireMs take proposals with them, and forget the ids in others" },
};
