/** A key of the process. Reason for a symbol of the whole process: the other build of this package has its own modules. */
const created = Symbol.for("langgraph-mongo-memory.createdStore");

export function rememberCreatedStore(): void {
  Reflect.set(globalThis, created, true);
}

/** Whether this process has created a MongoMemoryStore. */
export function hasMongoStore(): boolean {
  return Reflect.get(globalThis, created) === true;
}
