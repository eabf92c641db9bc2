/** Leaves out undefined members, because options and filters refuse an undefined member. */
export function pickDefined<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  // `Object.fromEntries` loses the type of the names. They are the names in `members`.
  return Object.fromEntries(defined) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
