import type { Requirements } from "./requirement.js";

export const aiSdk: Requirements = {
  "ai-sdk.remembers": {
    source: "specification section 8",
    says: "what a model of the AI SDK stores by the tool is in the system prompt of its next step and conversation",
  },
  "ai-sdk.streams": {
    source: "specification section 8",
    says: "a stream calls the tools and sees the memory like a whole answer",
  },
  "ai-sdk.owner-by-program": {
    source: "specification section 8",
    says: "the program chooses the user and the thread, and no argument of a tool does",
  },
  "ai-sdk.prompt-of-the-program": {
    source: "measured: AI SDK 6 and 7",
    says: "the memory never replaces the system prompt of the call, and a failure leaves that prompt as it is",
  },
  "ai-sdk.as-the-connector": {
    source: "specification section 8",
    says: "the model sees what the connector shows: budget, contents, mounts, the shared memory, paths as tools take them",
  },
  "ai-sdk.last-message": {
    source: "measured: AI SDK 6 and 7",
    says: "as the last message the memory is in each step once, though version 7 hands messages on",
  },
  "ai-sdk.refusals-are-answers": {
    source: "specification section 3",
    says: "refusals and failures are answers of the tool, in the form of its dialect",
  },
  "ai-sdk.parallel-edits-land": {
    source: "specification section 4",
    says: "all edits of one step land",
  },
  "ai-sdk.aborts": {
    source: "measured: AI SDK 6 and 7",
    says: "the signal of a request ends the calls of its tools, which throw only then",
  },
  "ai-sdk.schemas": {
    source: "measured: AI SDK 6 and 7",
    says: "providers get the schemas and descriptions of the dialects, without a change",
  },
  "ai-sdk.actor": {
    source: "specification section 8",
    says: "the history names the user, the run and the call of the tool, so that a run can be undone",
  },
  "ai-sdk.options-checked": {
    source: "specification section 9",
    says: "bad options, or two tools of one name, are a TypeError",
  },
};
