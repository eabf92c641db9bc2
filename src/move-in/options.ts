import { z } from "zod";
import type { Memory } from "../core/memory.js";
import { checkOptions, createFunctionField, OptionsError, signalField } from "../core/settings/check-options.js";
import { isAbsolutePath, normalizePath, ROOT } from "../core/values/paths.js";
import { hasMethod } from "../core/values/unknown-values.js";
import type { MoveInFormatName } from "./formats.js";
import { formatNames, formats } from "./formats.js";
import type { MoveInEntry, MoveInFormat, MoveInSource } from "./item.js";

/** Options of `moveIn`. */
export interface MoveInOptions {
  /** The format of the source: a name, or a format of your own. */
  from: MoveInFormatName | MoveInFormat;
  /** The path of a file or folder, a stream of bytes, a BaseStore, or a collection of MongoDB, as the format says. */
  source: MoveInSource;
  /** The directory that receives everything. Conversations go to `conversations` in it. @default "/" */
  into?: string;
  /** Whether each file is proposed instead of written, all with one run id. Needs a MongoMemoryStore. @default false */
  propose?: boolean;
  /** Whether files with another text are replaced. Otherwise they are skipped. @default false */
  overwrite?: boolean;
  /** Writes nothing, and reports the outcome that each item would have. Keeps the tree in memory. @default false */
  dryRun?: boolean;
  /** The person in the source whose items are taken. @default the user of a memory of scope `perUser` */
  fromUser?: string;
  /** The first labels of the namespaces of a store's items that are taken. A memory of a user needs it. @default [] */
  namespace?: string[];
  /** Changes an entry before it is written, or leaves it out by null. @default takes it as it is */
  change?: (entry: MoveInEntry) => MoveInEntry | null;
  /** Receives the outcome of each item, as soon as it is known. */
  onOutcome?: (outcome: MoveInOutcome) => void;
  signal?: AbortSignal;
}

/** The outcome of an item of the source. */
export interface MoveInOutcome {
  /** The item, by its name in the source. */
  what: string;
  /** The file. Null if there is none. */
  path: string | null;
  /**
   * `unchanged`: it was there already, or had been proposed before. `logged`: a conversation that the log did not have,
   * or not completely. With `dryRun` it is the result that the item would have.
   */
  result: "written" | "proposed" | "logged" | "unchanged" | "skipped";
  /** The reason for skipping it, or the parts that were shortened. Null: nothing was lost. */
  why: string | null;
}

const optionsSchema = z.strictObject({
  from: z.custom<MoveInFormatName | MoveInFormat>(
    (value) => hasMethod(value, "read") || (typeof value === "string" && Object.hasOwn(formats, value)),
    `must be one of ${formatNames.join(", ")}, or a format`,
  ),
  source: z.custom<MoveInSource>(
    (value) => (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null),
    "must be a path, a stream of bytes, a store or a collection",
  ),
  into: z.string().refine(isAbsolutePath, 'must be a path, such as "/imported"').default(ROOT),
  propose: z.boolean().default(false),
  overwrite: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  fromUser: z.string().min(1).optional(),
  namespace: z.array(z.string().min(1)).default([]),
  change: createFunctionField<(entry: MoveInEntry) => MoveInEntry | null>().optional(),
  onOutcome: createFunctionField<(outcome: MoveInOutcome) => void>().optional(),
  signal: signalField.optional(),
});

export type MoveInSettings = ReturnType<typeof checkMoveInOptions>;

/** @throws TypeError */
export function checkMoveInOptions({ address }: Memory, options: MoveInOptions) {
  const { from, into, ...settings } = checkOptions("MoveInOptions", optionsSchema, options);
  const format: MoveInFormat = typeof from === "string" ? formats[from] : from;
  // Items of a store belong to several users, and only their namespaces say to whom.
  const hasOnlyItems = format.takes.every((kind) => kind === "items");
  if (address.scope === "perUser" && hasOnlyItems && settings.namespace.length === 0)
    throw new OptionsError("MoveInOptions", "namespace", "is required, because the memory belongs to one user");
  return { ...settings, into: normalizePath(into), format, name: typeof from === "string" ? from : "the source" };
}
