/** Leaves out undefined members, because a filter refuses an undefined id. */
export function pickDefined<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  // `Object.fromEntries` loses the type of the names. They are the names in `members`.
  return Object.fromEntries(defined) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Does the same as `Map.groupBy` of Node 21. */
export function groupBy<Key, Item>(items: Iterable<Item>, getKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(getKey(item));
    if (group === undefined) groups.set(getKey(item), [item]);
    else group.push(item);
  }
  return groups;
}
