import { z } from "zod";
import { preview } from "../values/text.js";
import { type Issue, listFaults } from "./faults.js";
import { nearestName } from "./nearest-name.js";
import { callMethod, getField, hasMethod, isRecord } from "../values/unknown-values.js";

/** The longest time that a timer can wait. */
export const maxTimeoutMs = 2_147_483_647;

/** Schema of a time limit. Checked by hand, because Infinity is a number for zod 3 but not for zod 4. */
export const timeoutField = z.custom<number>(
  (value) =>
    typeof value === "number" &&
    (value === Infinity || (Number.isInteger(value) && value >= 1 && value <= maxTimeoutMs)),
  `must be a whole number of ms from 1 to ${maxTimeoutMs}, or Infinity for no limit`,
);

/** Schema of a whole number from 1. */
export const countField = z.number().int().min(1);

/** Schema of a signal. Checks the shape, because a program may have another AbortSignal class than Node. */
export const signalField = z.custom<AbortSignal>(
  (value) => typeof getField(value, "aborted") === "boolean" && hasMethod(value, "addEventListener"),
  "must be an AbortSignal",
);

/** Creates the schema of a function. Reason: `z.function()` is a schema in zod 3 only. */
export function createFunctionField<Callable>(message = "must be a function") {
  return z.custom<Callable>((value) => typeof value === "function", message);
}

/** A zod schema, described by its shape: the types of zod 3 and zod 4 differ, and either may be installed. */
interface Schema<Checked> {
  safeParse(value: unknown): { success: true; data: Checked } | { success: false; error: { issues: readonly Issue[] } };
}

/** A TypeError about options, which says by data which one is wrong. The command line names that one as it is typed. */
export class OptionsError extends TypeError {
  /** The first option that is wrong. Empty: the options as a whole. */
  readonly option: string;
  readonly reason: string;

  /** @param faults all that is wrong. @default the first option */
  constructor(name: string, option: string, reason: string, faults = `${option}: ${reason}`) {
    super(`invalid ${name}: ${faults}`);
    this.option = option;
    this.reason = reason;
  }
}

/**
 * Checks options. Bad options are a mistake of the program, so the error is a TypeError.
 *
 * @param secrets fields whose values are left out of messages
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
    const names = listFields(schema, issue.path);
    if (key !== undefined) return unknownOption(key, names, field === "" ? "" : `${field}.`);
    if (field === "") return issue.code === "invalid_type" ? describeMissing(options, names) : issue.message;
    const given = secrets.includes(field) ? "" : ` (given ${preview(getValue(options, issue.path))})`;
    return `${field}: ${issue.message}${given}`;
  });
  const [first] = result.error.issues;
  throw new OptionsError(name, String(first?.path[0] ?? ""), first?.message ?? "", faults);
}

/** Describes options that are no object. Leaves out what was given, because it may be a connection string. */
function describeMissing(options: unknown, names: readonly string[]): string {
  const fault = options === undefined ? "they are missing" : "they are no object";
  return `${fault}; expected an object { ${names.join(", ")} }`;
}

/** Refuses options that there are not, for an object without a schema. @throws TypeError */
export function refuseUnknownOptions(name: string, options: object, names: readonly string[]): void {
  if (!isRecord(options)) throw new OptionsError(name, "", "", describeMissing(options, names));
  const unknown = Object.keys(options).find((option) => !names.includes(option));
  if (unknown !== undefined) throw new OptionsError(name, unknown, "", unknownOption(unknown, names));
}

/** Lists the fields of the object at a path of a schema, through the wrappers of zod 3 and zod 4. Empty if none is there. */
function listFields(schema: unknown, path: readonly PropertyKey[]): string[] {
  const shape = getField(schema, "shape");
  const [key, ...rest] = path;
  if (isRecord(shape)) return key === undefined ? Object.keys(shape) : listFields(getField(shape, key), rest);
  const element = getField(schema, "element");
  if (element !== undefined) return listFields(element, rest);
  const alternatives = getField(schema, "options");
  if (Array.isArray(alternatives)) return alternatives.flatMap((each) => listFields(each, path));
  const inner = ["unwrap", "removeDefault", "innerType"].find((method) => hasMethod(schema, method));
  return inner === undefined ? [] : listFields(callMethod(schema, inner), path);
}

/** Words an unknown option. @param names the options that there are. @param place begins the names, such as `log.` */
export function unknownOption(name: string, names: readonly string[], place = ""): string {
  const near = nearestName(name, names);
  const others = names.length > 0 ? ` (the options are ${names.join(", ")})` : "";
  const meant = near === undefined ? others : `; ${preview(place + near)} was probably meant`;
  return `unknown option ${preview(place + name)}${meant}`;
}

function getValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(getField, value);
}
