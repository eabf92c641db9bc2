import { ROOT } from "../../core/values/paths.js";
import { shownText } from "../../core/display/shown-text.js";
import { createSchema, defineTool } from "../define-tool.js";
import type { ToolDefinition } from "../dialect.js";
import { findPassages } from "../found-passages.js";
import { optional } from "../read-arguments.js";
import { claudeAnswers, parseClaudeArguments } from "./answers.js";
import { ClaudeArguments } from "./arguments.js";
import type { CheckedClaudeOptions } from "./options.js";

/** Room for the sentences of an answer, besides the passages. */
const sentenceChars = 200;

/** A search tool next to the memory tool. Anthropic's memory tool has no search. */
export function claudeSearchTool({
  root,
  maxAnswerChars,
}: Pick<CheckedClaudeOptions, "root" | "maxAnswerChars">): ToolDefinition {
  const whole = `all of ${root}`;
  const properties = {
    query: { type: "string", description: "What to search for, in a few words or a question." },
    path: optional({
      type: "string",
      description: `Absolute path of the directory or file to search, beginning with ${root}; left out, ${whole}.`,
    }),
  };
  return defineTool({
    name: "memory_search",
    description:
      `Finds the passages of your memory (files under ${root}) that have most to do with some words, in ` +
      "whatever form they are written. Answers paths, line numbers and texts.",
    schema: createSchema(properties),
    shownRoot: root,
    readOnly: true,
    destructive: false,
    run: async (given, openMemory) => {
      const names = { names: Object.keys(properties), required: "a query" };
      const args = new ClaudeArguments(parseClaudeArguments(given, names), root);
      const query = args.text("query");
      const path = args.optionalText("path") === undefined ? ROOT : args.path("path").path;
      const { passages, leftOut } = await findPassages(await openMemory(), query, path, maxAnswerChars - sentenceChars);
      if (passages.length === 0) return `No passage below ${args.shownPath(path)} has these words`;
      return [
        "Here're the passages that fit best:",
        ...passages.map((hit) => `${args.shownPath(hit.path)}, ${describeLines(hit)}:\n${shownText(hit.text)}`),
        ...(leftOut === "" ? [] : [`(${leftOut} are left out.)`]),
      ].join("\n\n");
    },
    answers: claudeAnswers,
  });
}

function describeLines({ startLine, endLine }: { startLine: number; endLine: number }): string {
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine} to ${endLine}`;
}
