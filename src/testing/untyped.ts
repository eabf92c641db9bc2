/** Passes a value that no type allows, as a model or a program without types may do. */
export function untyped(value: unknown): never {
  return value as never; // wrong on purpose: the suites show that the value is refused
}
