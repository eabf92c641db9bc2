import { shorten } from "../values/text.js";

/** An issue that zod reports. Described by its shape, because the types of zod 3 and zod 4 differ. */
export interface Issue {
  code?: string | undefined;
  path: readonly PropertyKey[];
  message: string;
  /** The keys that an issue "unrecognized_keys" names. */
  keys?: readonly string[];
}

/** An issue, or one of the unknown keys that it names. */
export interface Fault {
  issue: Issue;
  key?: string;
}

export const maxNamedFaults = 5;
const maxFaultChars = 1000;

/**
 * Describes the first faults, and counts the others, because a value can have half a million of them.
 * @param describe runs only for the faults that are described
 */
export function listFaults(issues: readonly Issue[], describe: (fault: Fault) => string): string {
  const faults = issues.flatMap((issue): Fault[] =>
    issue.code === "unrecognized_keys" ? (issue.keys ?? []).map((key) => ({ issue, key })) : [{ issue }],
  );
  const named = faults.slice(0, maxNamedFaults).map((fault) => shorten(describe(fault), maxFaultChars));
  const more = faults.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** Words a fault such as `address.nodeId: expected string`. @param whole the name of the value */
export function describeFault({ issue: { path, message }, key }: Fault, whole?: string): string {
  const place = path.length === 0 ? whole : path.map(String).join(".");
  const reason = key === undefined ? message : `unknown field ${JSON.stringify(shorten(key, 64))}`;
  return place === undefined ? reason : `${place}: ${reason}`;
}
