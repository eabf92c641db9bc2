import { z } from "zod";
import { checkOptions, countField } from "../core/settings/check-options.js";
import { defaultLogPath, isAbsolutePath, normalizePath, ROOT } from "../core/values/paths.js";
import { timeZoneField } from "../core/settings/time-zone.js";
import type { TimeZone } from "../langchain/memory-run.js";

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

/** @param options `true` stands for the defaults. @throws TypeError */
export function checkLogOptions(options: ConversationLogOptions | true): ConversationLog {
  const given = options === true ? {} : options;
  checkOptions("ConversationLogOptions", logSchema, given);
  const { path = defaultLogPath, timeZone = "UTC", keepDays = null } = given;
  return { path: normalizePath(path), timeZone, keepDays };
}
