import { z } from "zod";
import { getField } from "../core/values/unknown-values.js";

/** A change that a model answers with. It quotes texts, and never names positions. */
export interface LearnOperation {
  operation: "append" | "edit" | "write" | "rename" | "archive" | "delete";
  path: string;
  /** append, write, edit: the text to add or to put in the place of `oldText`. */
  text?: string | null | undefined;
  /** edit: the text to replace, which is in the file exactly once. */
  oldText?: string | null | undefined;
  /** rename: the new path. */
  to?: string | null | undefined;
  reason: string;
  /** The labels of the new texts that it rests on. */
  sources: string[];
}

const optionalText = z.string().max(100_000).nullish();

const operationSchema = z.object({
  operation: z.enum(["append", "edit", "write", "rename", "archive", "delete"]),
  path: z.string().max(2000),
  text: optionalText,
  oldText: optionalText,
  to: z.string().max(2000).nullish(),
  reason: z.string().max(10_000),
  sources: z.array(z.string().max(100)).max(1000),
});

const orNull = (description: string): object => ({ anyOf: [{ type: "string", description }, { type: "null" }] });

/** Creates the schema of an answer, in the form that the strict modes of all providers take. */
export function createAnswerSchema(allowDelete: boolean): Record<string, unknown> {
  const properties = {
    operation: {
      type: "string",
      enum: ["append", "edit", "write", "rename", "archive", ...(allowDelete ? ["delete"] : [])],
    },
    path: { type: "string", description: "The file." },
    text: orNull("append, write: the text. edit: the new text."),
    oldText: orNull("edit: the text to replace, copied from the file, where it must stand exactly once."),
    to: orNull("rename: the new path."),
    reason: { type: "string", description: "Why, in one sentence." },
    sources: { type: "array", items: { type: "string" }, description: "The labels it rests on, such as s1." },
  };
  const item = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  return {
    title: "memory_operations",
    description: "The changes of the memory. An empty list if nothing is worth keeping.",
    type: "object",
    properties: { operations: { type: "array", items: item } },
    required: ["operations"],
    additionalProperties: false,
  };
}

/** An operation that is not made, with the reason. */
export interface DroppedOperation {
  /** Null if the answer could not be read. Anything that the model answered, if it was no operation. */
  operation: unknown;
  why: string;
}

/** Reads the answer of a model, which may be anything. */
export function readOperations(
  answer: unknown,
  maxOperations: number,
): { operations: LearnOperation[]; dropped: DroppedOperation[] } {
  const list = getField(answer, "operations");
  if (!Array.isArray(list))
    return { operations: [], dropped: [{ operation: null, why: "the answer is cut, or is not a list of operations" }] };
  const [operations, dropped]: [LearnOperation[], DroppedOperation[]] = [[], []];
  for (const operation of list.slice(0, maxOperations) as unknown[]) {
    const read = operationSchema.safeParse(operation);
    if (read.success) operations.push(read.data);
    else dropped.push({ operation, why: "it does not have the form of an operation" });
  }
  if (list.length > maxOperations)
    dropped.push({
      operation: null,
      why: `${list.length - maxOperations} operations beyond ${maxOperations} were left out`,
    });
  return { operations, dropped };
}
