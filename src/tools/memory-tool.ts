import { z } from "zod";
import { MemoryError } from "../core/errors.js";
import type { Memory } from "../core/memory.js";
import { checkOptions } from "../core/options.js";
import { DialectTool, type FlatSchema, type ToolAnswer } from "./dialect-tool.js";
import { checkMemorySource, type MemorySource } from "./memory-source.js";
import { describeCommands, failureOf, memoryCommands, type MemoryCommand, runCommand, schemaOf } from "./unified.js";

export interface MemoryToolOptions {
  /** Where the tool finds its memory; without one every call answers ENOTMEM until `setMemorySource`. */
  memory?: MemorySource;
  /** What the model calls the tool. @default "memory" */
  name?: string;
  /** What the model reads about the tool. @default a description of the allowed commands */
  description?: string;
  /** For people, in user interfaces; kept in `metadata.title`. */
  title?: string;
  /** The commands the model is offered; others answer EACCES. @default all five */
  commands?: MemoryCommand[];
}

const optionsSchema = z
  .object({
    memory: z.unknown().optional(),
    // The rule of OpenAI, the narrowest of the providers.
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -").optional(),
    description: z.string().min(1).optional(),
    title: z.string().min(1).optional(),
    commands: z.array(z.enum(["read", "list", "append", "update", "delete"])).min(1).optional(),
  })
  .strict();

/**
 * The unified memory tool: one tool with the commands read, list, append, update and delete.
 *
 * Answers one JSON string, `{ command, path, ok, result }` or `{ command, path, ok, error: { message, code } }`, to
 * whatever it is called with; it throws only to pass on an interrupt or an abort. The thread of a `perThread` memory is
 * the run's `configurable.thread_id`, never an argument.
 */
export class MemoryTool extends DialectTool {
  static override lc_name(): string {
    return "MemoryTool";
  }

  override readonly name: string;
  override readonly description: string;
  override readonly schema: FlatSchema;
  readonly title: string | undefined;
  readonly commands: readonly MemoryCommand[];

  /** @throws TypeError for bad options */
  constructor(options: MemoryToolOptions = {}) {
    super();
    checkOptions("MemoryToolOptions", optionsSchema, options);
    this.commands = options.commands ?? memoryCommands;
    this.name = options.name ?? "memory";
    this.description = options.description ?? describeCommands(this.commands);
    this.title = options.title;
    if (options.title !== undefined) this.metadata = { title: options.title };
    this.schema = schemaOf(this.commands);
    if (options.memory !== undefined) {
      checkMemorySource(options.memory);
      this.setMemorySource(options.memory);
    }
  }

  protected override async answer(args: unknown, openMemory: () => Memory): Promise<ToolAnswer> {
    const envelope = await runCommand(args, this.commands, openMemory);
    return { text: JSON.stringify(envelope), failed: !envelope.ok };
  }

  protected override failure(args: unknown, cause: unknown): ToolAnswer {
    const error = new MemoryError("EIO", "EIO: the memory could not be opened", { cause });
    return { text: JSON.stringify(failureOf(args, error)), failed: true };
  }
}
