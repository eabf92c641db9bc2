import { preview } from "../values/text.js";

/** Creates the error for an argument of a program that a function cannot use. @param name the function and the argument */
export function wrongArgument(name: string, expected: string, given: unknown): TypeError {
  return new TypeError(`${name} must be ${expected} (given ${preview(given)})`);
}
