import { z } from "zod";
import { type CheckedRule, createLogRule } from "../core/access/policy.js";
import { getInternals } from "../core/bind-memory.js";
import type { Memory } from "../core/memory.js";
import { checkOptions, countField } from "../core/settings/check-options.js";
import { defaultLogPath, isAbsolutePath, normalizePath, ROOT } from "../core/values/paths.js";
import { timeZoneField } from "../core/settings/time-zone.js";
import type { MemoryRun, TimeZone } from "../langchain/memory-run.js";

/** The place of the log of conversations, and its age limit. */
export interface ConversationLogOptions {
  /** The directory of the log, which has a directory for each day, with a file for each thread. @default "/conversations" */
  path?: string;
  /** The time zone of the days: an IANA name, or a function of the run. If the function fails, the day is that of UTC. @default "UTC" */
  timeZone?: TimeZone;
  /** The number of days that are kept, today included. Older ones are deleted when a file is created. @default all */
  keepDays?: number;
}

/** Checked options, with the defaults. */
export interface ConversationLog {
  readonly path: string;
  readonly timeZone: TimeZone;
  /** Null: all days. */
  readonly keepDays: number | null;
}

export function isSameLog(one: ConversationLog, other: ConversationLog): boolean {
  return one.path === other.path && one.timeZone === other.timeZone && one.keepDays === other.keepDays;
}

/** The fields of ConversationLogOptions, for option objects that extend it. */
export const logFields = {
  path: z
    .string()
    .refine(
      (path) => isAbsolutePath(path) && normalizePath(path) !== ROOT && !/[*?[\]{}\\]/.test(path),
      'must be a path without wildcards, such as "/conversations"',
    )
    .optional(),
  timeZone: timeZoneField.optional(),
  keepDays: countField.max(36_500).optional(),
};

const logSchema = z.strictObject(logFields);

const logDefaults: ConversationLog = { path: defaultLogPath, timeZone: "UTC", keepDays: null };

/** @param options `true` stands for the defaults. @throws TypeError */
export function checkLogOptions(options: ConversationLogOptions | true, defaults = logDefaults): ConversationLog {
  const given = options === true ? {} : options;
  checkOptions("ConversationLogOptions", logSchema, given);
  const { path = defaults.path, timeZone = defaults.timeZone, keepDays = defaults.keepDays } = given;
  return { path: normalizePath(path), timeZone, keepDays };
}

/** The logs of nodes, by the rules that protect them. */
const logs = new WeakMap<CheckedRule, ConversationLog>();

/** Creates the rule that protects the log of a node. Each memory of the node has it. */
export function protectLog(log: ConversationLog): CheckedRule {
  const rule = createLogRule(log.path);
  logs.set(rule, log);
  return rule;
}

/** Returns the log of the node that opened a memory. Undefined without one. */
export function findLog(memory: Memory): ConversationLog | undefined {
  return getInternals(memory)
    .rules.map((rule) => logs.get(rule))
    .find((log) => log !== undefined);
}

/** Describes a memory outside a run, for functions of the run: it may be that of a user. */
export function toRun({ address }: Memory): MemoryRun {
  return { config: {}, ...(address.scope === "perUser" && { userId: address.userId }) };
}
