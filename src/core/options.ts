import { z } from "zod";
import { shorten } from "./text.js";
import type { PathRule } from "./paths.js";

/** How one memory is used. */
export interface MemoryOptions {
  /**
   * Which names can be created. `adr` allows letters `A-Z a-z`, digits, `_`, `-` and spaces. It is the default because such
   * a name has one spelling, and no character that MongoDB gives a meaning to. `posix` allows any Unicode; take it where
   * files have names like `notes.txt`, or are not named in English.
   * @default "adr"
   */
  paths?: PathRule;
  /** Largest file, in bytes of UTF-8. @default 1_000_000 */
  maxFileBytes?: number;
  /** Largest memory, in bytes of its stored document. Backends without a document per memory ignore it. @default 15_000_000 */
  maxMemoryBytes?: number;
}

/** The most that either limit can be: 15 MB leaves a margin below the 16 MiB that MongoDB allows a document. */
export const memoryBytesCeiling = 15_000_000;

export const memoryDefaults = {
  paths: "adr",
  maxFileBytes: 1_000_000,
  maxMemoryBytes: memoryBytesCeiling,
} as const satisfies Required<MemoryOptions>;

const memoryBytes = z.number().int().min(1).max(memoryBytesCeiling);

/** The fields of MemoryOptions, for option objects that extend it. */
export const memoryOptionFields = {
  paths: z.enum(["adr", "posix"]).optional(),
  maxFileBytes: memoryBytes.optional(),
  maxMemoryBytes: memoryBytes.optional(),
};

const memoryOptionsSchema = z.object(memoryOptionFields).strict();

export function checkMemoryOptions(options: MemoryOptions | undefined): Required<MemoryOptions> {
  checkOptions("MemoryOptions", memoryOptionsSchema, options ?? {});
  return {
    paths: options?.paths ?? memoryDefaults.paths,
    maxFileBytes: options?.maxFileBytes ?? memoryDefaults.maxFileBytes,
    maxMemoryBytes: options?.maxMemoryBytes ?? memoryDefaults.maxMemoryBytes,
  };
}

interface Issue {
  path: readonly PropertyKey[];
  message: string;
}

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: readonly Issue[] } | undefined };
}

/**
 * Checks options. A bad one is a mistake of the program, so a `TypeError`.
 * Typed by shape because the zod 3 and zod 4 types differ and either may be installed.
 *
 * @param secrets fields whose value no message shows
 */
export function checkOptions(name: string, schema: Schema, options: unknown, secrets: readonly string[] = []): void {
  const issues = schema.safeParse(options).error?.issues;
  if (!issues) return;
  const faults = issues.map((issue) => {
    const field = issue.path.map(String).join(".");
    if (field === "") return issue.message;
    const given = secrets.includes(field) ? "" : ` (given ${preview(valueAt(options, issue.path))})`;
    return `${field}: ${issue.message}${given}`;
  });
  throw new TypeError(`invalid ${name}: ${faults.join("; ")}`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((current, key) => (current as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

/** A value as a refusal quotes it: short, and never what an object holds. */
export function preview(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shorten(value, 64));
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
