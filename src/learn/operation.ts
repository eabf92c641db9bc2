import { z } from "zod";
import { getField } from "../core/values/unknown-values.js";

const optionalText = z.string().max(100_000).nullish();

const operationSchema = z.object({
  operation: z.enum(["append", "edit", "write", "rename", "archive", "delete"]),
  path: z.string().max(2000),
  /** append, write, edit: the text to add or to put in the place of `oldText`. */
  text: optionalText,
  /** edit: the text to replace, which is in the file exactly once. */
  oldText: optionalText,
  /** rename: the new path. */
  to: z.string().max(2000).nullish(),
  reason: z.string().max(10_000),
  /** The labels of the new texts that the operation rests on. */
  sources: z.array(z.string().max(100)).max(1000),
});

/** A change in the answer of a model. It quotes texts, and never names positions. */
export type LearnOperation = z.infer<typeof operationSchema>;

const orNull = (description: string): object => ({ anyOf: [{ type: "string", description }, { type: "null" }] });

/** Creates the schema of an answer. The strict modes of all providers take this form. */
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

/** A refused operation, with the reason. */
export interface DroppedOperation {
  /** As the model answered. Null if the answer could not be read. */
  operation: unknown;
  why: string;
}

/** Reads the answer of a model, which may be any value. */
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
