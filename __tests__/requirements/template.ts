import type { Requirements } from "./requirement.js";

export const template: Requirements = {
  "template.documented-example": {
    source: "server memory page",
    says: "the documented example runs: two tools of distinct names over one memory",
  },
  "template.templates": {
    source: "specification section 8",
    says: "memory, agent and memoryTool are nodes, with the options that their classes have",
  },
  "template.tool-metadata": {
    source: "server memory page",
    says: "name, description and title of a memoryTool are optional",
  },
  "template.tools-port": {
    source: "server memory page",
    says: "an edge from an agent's tools gives it the tool",
  },
  "template.memory-port": {
    source: "server memory page",
    says: "an edge into $memory gives a tool its memory; without one it answers ENOTMEM",
  },
  "template.connectors": {
    source: "server memory page",
    says: "a memory is shown to an agent, through a connector of the graph or with the defaults",
  },
  "template.scope": {
    source: "server memory page",
    says: "a memory is global by default, and perThread uses the thread id",
  },
  "template.faults-name-the-node": {
    source: "specification section 8",
    says: "a fault of a node says which node and which field",
  },
  "template.faults-name-the-edge": {
    source: "specification section 8",
    says: "a fault of an edge says which edge and which field",
  },
  "template.faults-all-at-once": {
    source: "specification section 8",
    says: "all faults are told at once",
  },
  "template.fields-of-editors": {
    source: "specification section 8",
    says: "what an editor saves with a graph, a node or an edge is passed over; what may be a misspelt or misplaced option is a fault",
  },
  "template.two-tools-of-one-name": {
    source: "measured: LangGraph 1.7",
    says: "two tools of one name for one agent are a fault",
  },
  "template.any-json": {
    source: "specification section 9",
    says: "any JSON is answered by a graph or by the one error",
  },
  "template.names-of-javascript": {
    source: "specification section 2",
    says: "__proto__ and constructor are no ids, templates or fields",
  },
  "template.schema": {
    source: "public names",
    says: "the published JSON schema accepts and refuses what buildGraph does",
  },
  "template.changes-between-turns": {
    source: "public names",
    says: "a changed definition gives and takes tools, prompt and memory from the next turn on",
  },
  "template.change-with-a-fault": {
    source: "specification section 4",
    says: "a definition with a fault changes nothing",
  },
  "template.turn-under-way": {
    source: "public names",
    says: "a turn under way ends with what it began with",
  },
  "template.checked-is-used": {
    source: "specification section 4",
    says: "no getter, proxy or toJSON of a definition replaces what was checked",
  },
  "template.allowed-node-ids": {
    source: "specification section 4",
    says: "a definition opens no memory but those that the program allows, if it says which",
  },
  "template.mounts": {
    source: "specification section 12",
    says: "a memory can have mounts of the same store, each of an allowed node id",
  },
  "template.context-checked": {
    source: "specification section 9",
    says: "a bad context is a TypeError",
  },
  "template.either-zod": {
    source: "measured: LangGraph 1.7",
    says: "the template works with zod 3 and zod 4 alike",
  },
};
