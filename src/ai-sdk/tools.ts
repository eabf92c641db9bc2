import type { AdaptedTool, FlatSchema } from "../dialects/dialect.js";
import type { Memory } from "../core/memory.js";

/** The parts of the AI SDK's tool call that a memory uses. */
export interface AiToolCall {
  toolCallId?: string;
  abortSignal?: AbortSignal | undefined;
}

/**
 * A tool of the AI SDK. The schema is a Standard Schema with JSON Schema, which the SDK takes without its own
 * `jsonSchema` function.
 */
export interface AiTool {
  description: string;
  inputSchema: StandardSchema;
  execute: (input: unknown, call: AiToolCall) => Promise<string>;
}

/** The part of https://standardschema.dev that the AI SDK uses. */
interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { value: unknown };
    readonly jsonSchema: Record<"input" | "output", () => Record<string, unknown>>;
  };
}

/**
 * Makes a tool of the AI SDK. It throws only the reason of an abort. Refusals and failures are answers, in the form of
 * the dialect.
 */
export function createAiTool(tool: AdaptedTool, openMemory: (call: AiToolCall) => Promise<Memory>): AiTool {
  const execute = async (input: unknown, call: AiToolCall = {}): Promise<string> => {
    const { abortSignal } = call;
    abortSignal?.throwIfAborted();
    try {
      return (await tool.answer(input, () => openMemory(call))).text;
    } catch (error) {
      if (abortSignal?.aborted === true) throw error;
      return tool.failure(input, error).text;
    }
  };
  return { description: tool.description, inputSchema: createInputSchema(tool.schema), execute };
}

/** Accepts any input, because the tool itself refuses bad arguments in words for the model. */
function createInputSchema(schema: FlatSchema): StandardSchema {
  // A copy, because the SDK changes the schemas that it gets.
  const toJson = (): Record<string, unknown> => structuredClone({ ...schema });
  return {
    "~standard": {
      version: 1,
      vendor: "langgraph-mongo-memory",
      validate: (value) => ({ value }),
      jsonSchema: { input: toJson, output: toJson },
    },
  };
}
