import { MemoryError } from "../../core/values/errors.js";
import { parseArguments, type ToolAnswers } from "../define-tool.js";
import { ClaudeRefusal, echo, toRefusal } from "./refusal.js";

/** The answers that all tools of the dialect share. */
export const claudeAnswers: ToolAnswers<string> = {
  success: (text) => text,
  proposed: (proposal) =>
    `The change is not made yet: it is proposed, and a person decides about it (proposal ${proposal}).`,
  refusal: (error) => (MemoryError.isInstance(error) ? toRefusal(error).text : error.message),
  failure: () => "Error: EIO: the memory could not be opened",
};

/** @param required words that name the argument that every call needs */
export const notAnObject = (required: string): ClaudeRefusal =>
  new ClaudeRefusal("EINVAL", `Error: The arguments must be an object with ${required}`);

/** @param required words that name the argument that every call needs. @param alias accepted, but not described */
export function parseClaudeArguments(
  args: unknown,
  { names, required, alias }: { names: readonly string[]; required: string; alias?: string },
): Record<string, unknown> {
  return parseArguments(args, (name) => name === alias || names.includes(name), {
    notAnObject: () => notAnObject(required),
    unknownName: (name) =>
      new ClaudeRefusal("EINVAL", `Error: Unknown parameter: ${echo(name)}. The parameters are ${names.join(", ")}`),
  });
}
