import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { invalid } from "../core/values/errors.js";
import { checkOptions, createFunctionField } from "../core/settings/check-options.js";
import { preview } from "../core/values/text.js";
import type { MemoryTool } from "../langchain/memory-tool.js";
import type { Agent } from "../graph/agent.js";
import type { MemoryNode } from "../graph/memory-node.js";
import type { AllowedNodeIds } from "./allowed-node-ids.js";
import { checkDefinition } from "./check-definition.js";
import type { GraphDefinition } from "./definition.js";
import { quoteAll } from "./quote.js";
import { type GraphContext, makeParts, noParts, type Parts } from "./parts.js";
import { hasMethod } from "../core/values/unknown-values.js";

/** The agents, memories and tools of a definition. */
export interface BuiltGraph {
  /**
   * Returns the same object as long as the definition has an agent of this id. A removed agent stays as it was.
   * @throws MemoryError EINVAL if there is no agent of this id
   */
  agent(id: string): Agent;
  /** @throws MemoryError EINVAL if there is no memory of this id */
  memory(id: string): MemoryNode;
  /** @throws MemoryError EINVAL if there is no memoryTool of this id */
  tool(id: string): MemoryTool;
  /**
   * Changes the graph to another definition: completely, or not at all if it throws. Later turns run on the new graph.
   * A running turn ends with the prompt, the tools and the memories with which it began. A turn that was interrupted
   * and is resumed goes on with the new ones. Agents keep their models. They also keep the tools and the connector that
   * the program gave them. A connector of the definition replaces the program's.
   *
   * @throws MemoryError EINVAL that lists the issues of the definition
   * @throws TypeError if the model of an agent is not a chat model or cannot bind tools, or if a tool of the definition
   * has the name of a tool that the program gave to the agent
   */
  apply(definition: GraphDefinition): void;
}

const contextSchema = z.strictObject({
  store: z.custom<BaseStore>((store) => hasMethod(store, "batch"), "must be a BaseStore"),
  model: z.custom<GraphContext["model"]>(
    (model) => typeof model === "function" || hasMethod(model, "invoke"),
    "must be a chat model, or a function from the id of an agent's node to its chat model",
  ),
  checkpointer: z.unknown().optional(),
  allowedNodeIds: z
    .custom<AllowedNodeIds>(
      (value) => typeof value === "function" || (Array.isArray(value) && value.every((id) => typeof id === "string")),
      "must be a list of node ids, or a function from a node id to whether it is allowed",
    )
    .optional(),
  onError: createFunctionField<GraphContext["onError"]>().optional(),
});

/**
 * Creates running agents from a graph that is written as JSON.
 *
 * @param definition checked strictly: anything wrong or missing, and anything unknown in a config, is an issue. Its
 * author is trusted, because the definition chooses the memories, the prompts and the rights of tools. If others write
 * it, set `allowedNodeIds`.
 * @throws MemoryError EINVAL whose message lists the issues, one a line: the place, the mistake, and the
 * right value. It lists a hundred at most
 * @throws TypeError for a bad context, and if the model of an agent is not a chat model or cannot bind tools
 */
export function buildGraph(definition: GraphDefinition, context: GraphContext): BuiltGraph {
  checkOptions("GraphContext", contextSchema, context);
  const graph = new GraphOfParts({ ...context });
  graph.apply(definition);
  return graph;
}

class GraphOfParts implements BuiltGraph {
  readonly #context: GraphContext;
  #parts: Parts = noParts;

  constructor(context: GraphContext) {
    this.#context = context;
  }

  agent(id: string): Agent {
    return find("agent", this.#parts.agents, id).agent;
  }

  memory(id: string): MemoryNode {
    return find("memory", this.#parts.memories, id).value;
  }

  tool(id: string): MemoryTool {
    return find("memoryTool", this.#parts.tools, id).value;
  }

  apply(definition: GraphDefinition): void {
    const parts = makeParts(checkDefinition(definition, this.#context.allowedNodeIds), this.#context, this.#parts);
    // The steps below cannot fail.
    for (const { agent, callModel, title } of parts.agents.values()) {
      agent.setCallModel(callModel);
      agent.graph.name = title;
    }
    this.#parts = parts;
  }
}

function find<Part>(template: string, parts: ReadonlyMap<string, Part>, id: string): Part {
  const part = parts.get(id);
  if (part !== undefined) return part;
  const ids = parts.size > 0 ? `; there are ${quoteAll(parts.keys())}` : "";
  throw invalid(`the graph has no ${template} with the id ${preview(id)}${ids}`);
}
