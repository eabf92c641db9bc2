import { z } from "zod";
import { preview } from "../values/preview.js";
import { type Issue, listFaults } from "./faults.js";
import { nearestName } from "./nearest-name.js";
import { getField } from "../values/unknown-values.js";

/** The longest time of a timer. */
export const maxTimeoutMs = 2_147_483_647;

/** A time limit of calls. By hand, because zod 3 takes Infinity for a number and zod 4 does not. */
export const timeoutField = z.custom<number>(
  (value) =>
    typeof value === "number" &&
    (value === Infinity || (Number.isInteger(value) && value >= 1 && value <= maxTimeoutMs)),
  `must be a whole number of ms from 1 to ${maxTimeoutMs}, or Infinity for no limit`,
);

/** By shape, because a program may have another AbortSignal than that of Node. */
export function isSignal(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("aborted" in value && "addEventListener" in value)) return false;
  return typeof value.aborted === "boolean" && typeof value.addEventListener === "function";
}

/** By shape, because the types of zod 3 and zod 4 differ and either may be installed. */
interface Schema<Checked> {
  /** Of the schema of an object. */
  shape?: object;
  safeParse(value: unknown): { success: true; data: Checked } | { success: false; error: { issues: readonly Issue[] } };
}

/**
 * Checks options. A bad one is a mistake of the program.
 *
 * @param secrets fields whose value no message shows
 * @returns the options with the defaults of the schema
 * @throws TypeError
 */
export function checkOptions<Checked>(
  name: string,
  schema: Schema<Checked>,
  options: unknown,
  secrets: readonly string[] = [],
): Checked {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const faults = listFaults(result.error.issues, ({ issue, key }) => {
    const field = issue.path.map(String).join(".");
    const names = Object.keys(schema.shape ?? {});
    if (key !== undefined) return field === "" ? unknownOption(key, names) : unknownOption(`${field}.${key}`, []);
    if (field === "")
      return options === undefined ? `they are missing; expected an object { ${names.join(", ")} }` : issue.message;
    const given = secrets.includes(field) ? "" : ` (given ${preview(getValue(options, issue.path))})`;
    return `${field}: ${issue.message}${given}`;
  });
  throw new TypeError(`invalid ${name}: ${faults}`);
}

function unknownOption(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  const others = names.length > 0 ? ` (the options are ${names.join(", ")})` : "";
  return `unknown option ${preview(name)}${near === undefined ? others : `; ${preview(near)} was probably meant`}`;
}

function getValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(getField, value);
}
