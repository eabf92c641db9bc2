import type { Requirements } from "./requirement.js";

export const waysIn: Requirements = {
  "ways-in.memory-node": {
    source: "ADR memory v2",
    says: "a MemoryNode hands out memoryTools and createConnector()",
  },
  "ways-in.call-model-node": {
    source: "specification section 8",
    says: "a CallModelNode is a Runnable for graph.addNode, in graphs of further state too",
  },
  "ways-in.call-model-node-changes": {
    source: "specification section 8",
    says: "setSystemPrompt, addTool, removeTool and setMemoryConnector work at any time; a call under way keeps what it began with",
  },
  "ways-in.call-model-node-streams": {
    source: "measured: LangGraph 1.7",
    says: "the model's tokens are streamed, each once, and none of the memory",
  },
  "ways-in.call-model-node-traced": {
    source: "measured: LangGraph 1.7",
    says: "a call is traced as one level, which holds the model",
  },
  "ways-in.call-model-node-context": {
    source: "measured: LangGraph 1.7",
    says: "model and tools find the store, the writer and the config of the run",
  },
  "ways-in.call-model-node-aborts": {
    source: "measured: LangGraph 1.7",
    says: "an abort reaches the model, and ends a call that is still reading the memory",
  },
  "ways-in.call-model-node-without-config": {
    source: "measured: LangGraph 1.7",
    says: "called without a config it takes the run from its surroundings",
  },
  "ways-in.call-model-node-alone": {
    source: "specification section 8",
    says: "it works outside a graph too",
  },
  "ways-in.model-errors-pass": {
    source: "specification section 8",
    says: "an error of the model is passed on as it is",
  },
  "ways-in.agent-loop": {
    source: "specification section 8",
    says: "an Agent loops between model and tools and remembers across turns and threads",
  },
  "ways-in.agent-tools": {
    source: "specification section 8",
    says: "addTool and removeTool of an Agent work between turns and during one",
  },
  "ways-in.agent-connector": {
    source: "ADR memory v2",
    says: "attachMemoryConnector shows another memory from the next call on",
  },
  "ways-in.agent-streams": {
    source: "specification section 8",
    says: "stream gives what LangGraph streams",
  },
  "ways-in.agent-interrupts": {
    source: "measured: LangGraph 1.7",
    says: "an Agent stops at an interrupt of a tool, resumes, and is a node of another graph",
  },
  "ways-in.agent-refuses-doubles": {
    source: "specification section 9",
    says: "two tools of one name, or a model that is none, are a TypeError",
  },
  "ways-in.middleware": {
    source: "specification section 8",
    says: "memoryMiddleware gives createAgent the connector and the tool",
  },
  "ways-in.middleware-placements": {
    source: "specification section 7",
    says: "the middleware puts the memory where the placement says",
  },
  "ways-in.middleware-among-others": {
    source: "measured: LangGraph 1.7",
    says: "it works inside and outside of other middleware, and once by each try of a retry",
  },
  "ways-in.middleware-two-memories": {
    source: "measured: LangGraph 1.7",
    says: "two memories can be shown at once; two tools of one name are refused, which createAgent would not notice",
  },
  "ways-in.middleware-options": {
    source: "specification section 9",
    says: "bad options of the middleware are a TypeError",
  },
  "ways-in.prompt-function": {
    source: "specification section 8",
    says: "createMemoryPrompt shows prompt and memory in createReactAgent and keeps neither in the state",
  },
  "ways-in.store-of-the-run": {
    source: "public names",
    says: "a MemoryNode without a store uses the run's, given to compile or to invoke",
  },
  "ways-in.store-in-subgraphs": {
    source: "reported: other memories",
    says: "the run's store is found in subgraphs, entrypoints and tasks",
  },
  "ways-in.store-of-its-own": {
    source: "public names",
    says: "a MemoryNode with a store uses that one, whatever store the run has",
  },
  "ways-in.no-store": {
    source: "specification section 3",
    says: "without any store the tool answers ENOTMEM and the model is called without memory",
  },
  "ways-in.open-in-own-nodes": {
    source: "public names",
    says: "openMemory works in nodes and tools of one's own",
  },
  "ways-in.down-storage-in-every-way-in": {
    source: "specification section 4",
    says: "a storage that is down leaves runs without memory in every way in, and with it once it is back",
  },
  "ways-in.examples-run": {
    source: "reported: other memories",
    says: "the examples run without a key, on MongoDB too, and print what their READMEs say",
  },
  "ways-in.examples-run-on-the-package": {
    source: "public names",
    says: "an example runs on the built package, by its name",
  },
  "ways-in.tutorial-runs": {
    source: "reported: other memories",
    says: "the program of each step of the tutorial runs on the built package, and prints what its page says",
  },
  "ways-in.entries-need-no-optional-package": {
    source: "measured: LangGraph 1.7",
    says: "the main entry and the dialects load and name no optional package, as ESM and as CommonJS",
  },
  "ways-in.public-names": {
    source: "public names",
    says: "the exported names are pinned",
  },
  "ways-in.first-programs": {
    source: "specification section 2",
    says: "the first programs and the examples let a model name a file notes.md, and a refusal of the name says how",
  },
  "ways-in.server-store": {
    source: "specification section 8",
    says: "under LangGraph's own server a node without a store uses the server's store, and warns once if the program has a MongoMemoryStore",
  },
  "ways-in.documented-agents": {
    source: "specification section 8",
    says: "the documented agents of another provider, with LangChain's prompt caching and with a stream run as they are written",
  },
  "ways-in.documented-code-compiles": {
    source: "public names",
    says: "the code of the documentation compiles, and every option is listed with its default",
  },
  "ways-in.agent-call-model": {
    source: "measured: LangGraph 1.7",
    says: "an Agent that is given another node ends the turn under way on the old one",
  },
  "ways-in.weight": {
    source: "specification section 8",
    says: "the package installs at most 8 packages and 5 MB beside its peers, and one class of it brings at most 15 kB into a bundle",
  },
};
