import { MemoryError } from "../../core/values/errors.js";
import { ROOT } from "../../core/values/paths.js";
import { shownText } from "../../core/display/shown-text.js";
import type { ToolAnswer, ToolDefinition } from "../dialect.js";
import { findPassages } from "../found-passages.js";
import { ClaudeArguments } from "./arguments.js";
import type { CheckedClaudeOptions } from "./options.js";
import { ClaudeRefusal, echo, refusalOf } from "./refusal.js";

/** A search beside the memory tool, which Anthropic's has none of. */
export function claudeSearchTool({ root }: Pick<CheckedClaudeOptions, "root">): ToolDefinition {
  const properties = {
    query: { type: "string", description: "What to search for, in a few words or a question." },
    path: {
      type: "string",
      description: `Absolute path of the directory or file to search, beginning with ${root}; left out, all of ${root}.`,
    },
  };
  return {
    name: "memory_search",
    description: `Finds the passages of your memory (files under ${root}) that have most to do with some words, in whatever form they are written. Answers paths, line numbers and texts.`,
    schema: { type: "object", properties, required: ["query"], additionalProperties: false },
    shownRoot: root === ROOT ? "" : root,
    readOnly: true,
    destructive: false,
    answer: async (given, openMemory) => {
      try {
        const args = new ClaudeArguments(namedArguments(given, properties), root);
        const query = args.text("query");
        const path = args.optionalText("path") === undefined ? ROOT : args.path("path").path;
        const { passages, leftOut } = await findPassages(await openMemory(), query, path);
        const blocks = passages.map((hit) => `${args.shownPath(hit.path)}, ${linesOf(hit)}:\n${shownText(hit.text)}`);
        if (blocks.length === 0)
          return { text: `No passage below ${args.shownPath(path)} has these words`, failed: false };
        return {
          text: [
            "Here're the passages that fit best:",
            ...blocks,
            ...(leftOut === "" ? [] : [`(${leftOut} are left out.)`]),
          ].join("\n\n"),
          failed: false,
        };
      } catch (error) {
        if (MemoryError.isInstance(error)) return refusal(error);
        throw error;
      }
    },
    failure: (_args, cause) => refusal(new MemoryError("EIO", "EIO: the memory could not be opened", { cause })),
  };
}

function linesOf({ startLine, endLine }: { startLine: number; endLine: number }): string {
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine} to ${endLine}`;
}

function namedArguments(given: unknown, properties: object): Record<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new ClaudeRefusal("EINVAL", "Error: The arguments must be an object with a query");
  }
  const unknownName = Object.keys(given).find((name) => !Object.hasOwn(properties, name));
  if (unknownName !== undefined) throw new ClaudeRefusal("EINVAL", `Error: Unknown parameter: ${echo(unknownName)}`);
  return given as Record<string, unknown>;
}

function refusal(error: MemoryError): ToolAnswer {
  return { text: refusalOf(error).text, failed: true };
}
