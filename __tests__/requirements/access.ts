import type { Requirements } from "./requirement.js";

export const access: Requirements = {
  "access.rules": {
    source: "specification section 12",
    says: "the first rule whose path fits says what may be done with a path; reading is always allowed",
  },
  "access.refused": {
    source: "specification section 12",
    says: "a refused change is EACCES that says the path and the access, and stores nothing",
  },
  "access.append": {
    source: "specification section 12",
    says: "append creates files and adds to their ends, and what is there stays",
  },
  "access.everything-below": {
    source: "specification section 12",
    says: "a directory is deleted or moved only where that is allowed for all that lies in it in the same step",
  },
  "access.narrower-of-two": {
    source: "specification section 12",
    says: "policies of one memory add up: the narrowest counts",
  },
  "access.every-way-in": {
    source: "specification section 12",
    says: "every dialect, MCP, deepagents, the graph template and middleware keep to the rules of a node",
  },
  "access.told": {
    source: "specification section 12",
    says: "a tool offers only commands that can succeed somewhere, and tells what may be done where",
  },
  "access.bad-rules": {
    source: "specification section 12",
    says: "a rule that is ill-formed, widens, or is of no memory of this package is a TypeError that says what would do",
  },
  "access.beside-writers": {
    source: "specification section 12",
    says: "nothing is stored against the rules that a call began with",
  },
  "access.guard": {
    source: "specification section 12",
    says: "the guard sees each text that is about to be stored, and what it answers is stored",
  },
  "access.guard-refuses": {
    source: "specification section 12",
    says: "where the guard throws the call is EACCES with its message, and nothing is stored",
  },
  "access.guard-answers": {
    source: "specification section 12",
    says: "a guard that answers no text, an ill-formed or too large one, or not in time: nothing is stored",
  },
  "access.actor": {
    source: "specification section 12",
    says: "all tool calls of one run have one runId, in subgraphs and subagents too, and no two runs have the same",
  },
  "access.guard-and-edits": {
    source: "specification section 12",
    says: "an edit whose guard takes its time loses no other edit",
  },
};
