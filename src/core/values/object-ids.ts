const ids = new WeakMap<object, number>();
let lastId = 0;

/** Returns an id that identifies an object without keeping it alive. */
export function getObjectId(object: object): number {
  const id = ids.get(object) ?? (lastId += 1);
  ids.set(object, id);
  return id;
}
