/** The members that are not undefined: an undefined id of a filter would be refused. */
export function pickDefined<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  // `Object.fromEntries` forgets the names, which are those of `members`.
  return Object.fromEntries(defined) as { [Name in keyof T]?: NonNullable<T[Name]> };
}
