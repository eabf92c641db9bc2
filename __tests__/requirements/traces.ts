import type { Requirements } from "./requirement.js";

const source = "specification section 18";

export const traces: Requirements = {
  "traces.runs": {
    source,
    says: "a span lies in the one that the program has opened around the call, in graphs and streams too",
  },
  "traces.operations": { source, says: "spans are called by the operations of the GenAI memory convention" },
  "traces.ways-in": {
    source,
    says: "every way in makes spans: tools, connectors, trees, the store's methods, MCP, the command line",
  },
  "traces.errors": { source, says: "a failed or aborted call says its code, and no message" },
  "traces.texts": { source, says: "texts are told only if the variable of the convention says so" },
  "traces.costs": { source, says: "without an SDK nothing is loaded" },
  "traces.run-tree": {
    source: "measured: LangGraph 1.7",
    says: "LangSmith shows reads of connector and store in the tree of the run",
  },
  "traces.events": {
    source: "measured: LangGraph 1.7",
    says: "who listens to a run is told of these reads by custom events",
  },
};
