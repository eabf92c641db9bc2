/** A value that no type allows, passed as a model or a program without types may pass it. */
export function untyped(value: unknown): never {
  return value as never; // wrong on purpose: the suites show that it is refused
}
