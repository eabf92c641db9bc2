import type { Requirements } from "./requirement.js";

export const connector: Requirements = {
  "connector.defaults": {
    source: "ADR memory v2",
    says: "the defaults are placement after_system, content tree and 4,000 characters",
  },
  "connector.configuration-kept": {
    source: "specification section 7",
    says: "every setting of the configuration can be chosen",
  },
  "connector.configuration-checked": {
    source: "specification section 7",
    says: "an unknown setting, or more than 200,000 characters, is a TypeError that says what would do",
  },
  "connector.after-system": {
    source: "specification section 7",
    says: "after_system puts the memory directly after the system prompt",
  },
  "connector.before-system": {
    source: "specification section 7",
    says: "before_system puts the memory directly before the system prompt",
  },
  "connector.last-message": {
    source: "specification section 7",
    says: "last_message is a late system message where that is taken, a trailing user message elsewhere",
  },
  "connector.without-system-prompt": {
    source: "specification section 7",
    says: "where there is no system prompt the memory is the system message",
  },
  "connector.limit-in-utf16-units": {
    source: "specification section 7",
    says: "maxChars counts UTF-16 units of the rendered text, and the text is never one over",
  },
  "connector.no-half-surrogate": {
    source: "specification section 7",
    says: "a rendering is never cut inside a surrogate pair",
  },
  "connector.fallback-of-empty-thread": {
    source: "ADR memory v2",
    says: "a thread whose memory has no files is shown the node's global one, if that has files; directories do not count",
  },
  "connector.fallback-without-thread": {
    source: "specification section 7",
    says: "a run without a thread id is shown the global memory",
  },
  "connector.fallback-is-said": {
    source: "specification section 7",
    says: "a fallback says that it shows the global memory until the thread has a file, and that the tool works on the thread's own; without a thread, that the tool refuses",
  },
  "connector.scope-is-said": {
    source: "specification section 7",
    says: "a rendering says whose memory it shows",
  },
  "connector.nothing-to-show": {
    source: "specification section 7",
    says: "where the memory, and what would stand in for it, are empty there is no message",
  },
  "connector.full": {
    source: "specification section 7",
    says: "full shows each file with its contents",
  },
  "connector.full-becomes-tree": {
    source: "ADR memory v2",
    says: "full over maxChars becomes the tree of the same scope and says so",
  },
  "connector.tree-with-sizes": {
    source: "specification section 7",
    says: "tree shows every directory and every file with its exact size",
  },
  "connector.paths-of-the-tools": {
    source: "specification section 7",
    says: "a rendering shows each path as the tools of the agent take it, in every way in",
  },
  "connector.root": {
    source: "specification section 7",
    says: "a program can say what the model calls the root",
  },
  "connector.no-name-imitates-a-line": {
    source: "specification section 7",
    says: "no name of a file passes for a note, a sentence of the introduction or a line of a content, relative or not",
  },
  "connector.tree-of-empty-directories": {
    source: "specification section 7",
    says: "a memory that holds only a directory is shown",
  },
  "connector.tree-leaves-out-deepest": {
    source: "specification section 7",
    says: "a tree over maxChars leaves out the deepest entries first",
  },
  "connector.tree-says-how-many": {
    source: "specification section 7",
    says: "a tree says how many entries it leaves out; none is cut silently",
  },
  "connector.same-bytes": {
    source: "specification section 7",
    says: "the same memory renders to the same bytes, in whatever order a storage hands it out",
  },
  "connector.same-bytes-between-turns": {
    source: "reported: other memories",
    says: "two turns with an unchanged memory begin with the same bytes, so prompt caches hold",
  },
  "connector.fence-cannot-be-closed": {
    source: "specification section 7",
    says: "no name and no content closes or imitates the fence",
  },
  "connector.fence-folds-unicode": {
    source: "specification section 7",
    says: "look-alikes of the fence in other Unicode forms do not close it either",
  },
  "connector.role-of-the-user": {
    source: "specification section 7",
    says: "role user makes the memory a message of the user in every placement, for every client",
  },
  "connector.foreign-tags": {
    source: "specification section 7",
    says: "no name and no content looks like a tag in which the program around a model speaks to it",
  },
  "connector.special-tokens": {
    source: "specification section 7",
    says: "no name and no content puts a special token of a chat template into the prompt",
  },
  "connector.hidden-characters": {
    source: "specification section 7",
    says: "controls, format and tag characters, and what has no width, are shown as escapes",
  },
  "connector.contents-are-quoted": {
    source: "specification section 7",
    says: "every line of a content is quoted, so that none imitates a header, a note or a message",
  },
  "connector.contents-come-back": {
    source: "specification section 7",
    says: "a quoted content is the exact text, but for what is escaped",
  },
  "connector.replacement-patterns": {
    source: "measured: deepagents 1.14",
    says: "$& and its like in a content are shown as they are",
  },
  "connector.notes-not-instructions": {
    source: "specification section 7",
    says: "the memory is introduced as data to consult, not instructions to follow",
  },
  "connector.one-round-trip": {
    source: "specification section 7",
    says: "a rendering is one round trip, one more where it falls back",
  },
  "connector.failure-breaks-no-run": {
    source: "specification section 7",
    says: "where the memory cannot be read the model is called without it",
  },
  "connector.failure-is-reported": {
    source: "specification section 7",
    says: "a memory that cannot be read is told to onError, or else in a warning of the process",
  },
  "connector.failing-hook-breaks-no-run": {
    source: "specification section 7",
    says: "a hook that fails itself does not break the run",
  },
  "connector.programming-error-breaks-no-run": {
    source: "specification section 7",
    says: "a failure that is not the storage's does not break the run either",
  },
  "connector.never-in-the-state": {
    source: "specification section 7",
    says: "what is shown never reaches the graph's state or its checkpoints",
  },
  "connector.never-piles-up": {
    source: "specification section 7",
    says: "the memory is in every model call once, in each placement",
  },
  "connector.messages-unchanged": {
    source: "specification section 7",
    says: "the caller's messages stay as they were",
  },
  "connector.fresh-at-every-call": {
    source: "reported: other memories",
    says: "what was written is shown at the next model call, in this thread and in others",
  },
  "connector.auto-separate-for-openai": {
    source: "specification section 7",
    says: "auto sends a message of its own to OpenAI and Azure OpenAI themselves",
  },
  "connector.auto-merged-elsewhere": {
    source: "measured: provider clients",
    says: "auto sends one system message to every other client, of which some throw on a second one",
  },
  "connector.auto-merged-for-other-servers": {
    source: "measured: provider clients",
    says: "auto sends one system message to servers that only speak OpenAI's protocol",
  },
  "connector.auto-follows-the-run": {
    source: "measured: provider clients",
    says: "auto goes by the model that the run chooses",
  },
  "connector.separate-and-merged-by-choice": {
    source: "specification section 7",
    says: "separate and merged are sent as chosen, whatever the client",
  },
  "connector.blocks-of-their-own": {
    source: "measured: LangGraph 1.7",
    says: "merged, prompt and memory are text blocks of their own, with the space between inside the text",
  },
  "connector.no-empty-block": {
    source: "measured: provider clients",
    says: "no empty text block is ever sent, which Anthropic refuses",
  },
  "connector.leading-messages-folded": {
    source: "measured: LangGraph 1.7",
    says: "all leading system messages become one, later ones stay",
  },
  "connector.cache-marks-kept": {
    source: "measured: provider clients",
    says: "blocks with a cache mark, and the mark alone on them, stay as they are",
  },
  "connector.prompt-fields-kept": {
    source: "measured: LangGraph 1.7",
    says: "id, name and further fields of the system prompt are kept",
  },
  "connector.anthropic-blocks": {
    source: "measured: provider clients",
    says: "Anthropic is sent two blocks of one system prompt",
  },
  "connector.google-parts": {
    source: "measured: provider clients",
    says: "Google is sent two parts of one system instruction",
  },
  "connector.tool-loop-of-providers": {
    source: "measured: provider clients",
    says: "in a tool loop each provider is sent the memory where it belongs after the tool's answer",
  },
  "connector.messages-of-the-other-build": {
    source: "measured: LangGraph 1.7",
    says: "system messages of LangChain's other build are recognised",
  },
  "connector.huge-memories": {
    source: "reported: other memories",
    says: "a memory of 20,000 files stays within every limit",
  },
  "connector.index": {
    source: "specification section 12",
    says: "index is the tree with, for each file, its description or else its first line that is not empty, shortened",
  },
};
