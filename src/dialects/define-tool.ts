import type { Memory } from "../core/memory.js";
import { MemoryError } from "../core/values/errors.js";
import { findProposal, type FlatSchema, type ToolAnswer, type ToolDefinition } from "./dialect.js";
import { readArguments } from "./read-arguments.js";
import { isRecord } from "../core/values/unknown-values.js";

/** A refusal with a code of the dialect. */
export class DialectError extends Error {
  override readonly name = "DialectError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answers of a tool, in the dialect's format. `args` may be anything. */
export interface ToolAnswers<Result> {
  success(result: Result): string | Promise<string>;
  /** The change was not made, because a person decides about it. */
  proposed(proposal: string, args: unknown): string | Promise<string>;
  refusal(error: MemoryError | DialectError, args: unknown): string | Promise<string>;
  /** Any other error. */
  failure(args: unknown, cause: unknown): string;
}

export interface ToolSpecification<Result> extends Omit<ToolDefinition, "answer" | "failure"> {
  /** Checks `args`, which may be anything, and runs the call. Throws its refusals. */
  run: (args: unknown, openMemory: () => Promise<Memory>) => Promise<Result>;
  answers: ToolAnswers<Result>;
}

/** Creates a tool that answers each outcome of `run`: a result, a proposal, a refusal or a failure. */
export function defineTool<Result>({ run, answers, ...tool }: ToolSpecification<Result>): ToolDefinition {
  const answer = async (given: unknown, openMemory: () => Promise<Memory>): Promise<ToolAnswer> => {
    const args = readArguments(tool.schema, given);
    try {
      return { text: await answers.success(await run(args, openMemory)), failed: false };
    } catch (error) {
      const proposal = findProposal(error);
      if (proposal !== null) return { text: await answers.proposed(proposal, args), failed: false };
      if (!MemoryError.isInstance(error) && !(error instanceof DialectError)) throw error;
      return { text: await answers.refusal(error, args), failed: true };
    }
  };
  return { ...tool, answer, failure: (args, cause) => ({ text: answers.failure(args, cause), failed: true }) };
}

/** @param properties the arguments. `optional` marks the ones that a call may leave out */
export function createSchema(properties: Record<string, object>): FlatSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The errors with which a dialect refuses arguments. */
export interface ArgumentErrors {
  /** @default none: any value but an object counts as no arguments */
  notAnObject?(): Error;
  unknownName(name: string): Error;
}

/**
 * Returns the arguments by name, without null, which means the same as an argument that is left out. Refuses unknown
 * names: a misspelt name must not change the effect of a call.
 */
export function parseArguments(
  args: unknown,
  isKnown: (name: string) => boolean,
  errors: ArgumentErrors,
): Record<string, unknown> {
  if (!isRecord(args) && errors.notAnObject) throw errors.notAnObject();
  const values = isRecord(args) ? args : {};
  const unknownName = Object.keys(values).find((name) => !isKnown(name));
  if (unknownName !== undefined) throw errors.unknownName(unknownName);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}
