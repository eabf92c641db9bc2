import { AsyncBatchedStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { openMemory } from "../../src/index.js";
import { testBackend } from "../helpers/backend-suite.js";
import { repetitions } from "../helpers/repetitions.js";

const store = new InMemoryStore();
testBackend(
  "a BaseStore",
  (address, options) => openMemory(store, address, options),
  repetitions({ usual: 15, long: 300 }),
);

// As a node of a graph finds it in its config; never started, so only an unwrapped store could answer.
const wrapped = new AsyncBatchedStore(store);
testBackend(
  "a BaseStore wrapped by LangGraph",
  (address, options) => openMemory(wrapped, address, options),
  repetitions({ usual: 5, long: 50 }),
);
