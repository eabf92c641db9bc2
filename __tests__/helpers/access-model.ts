import type { MemoryAccess, MemoryPolicy } from "../../src/core/access.js";

const breadth: Partial<Record<MemoryAccess, number>> = { read: 0, append: 1, write: 2 };

/** Who may do what, the short way: each policy gives what its first rule that fits says, and the narrowest of them counts. */
export function mayDo(policies: readonly MemoryPolicy[], path: string, needed: MemoryAccess): boolean {
  return policies.every(({ access = "write", rules = [] }) => {
    const rule = rules.find((each) => fits(each.path.split("/").slice(1), path === "/" ? [] : path.split("/").slice(1)));
    return (breadth[rule?.access ?? access] ?? 0) >= (breadth[needed] ?? 0);
  });
}

/** Tries one way after another. */
export function fits([first, ...rest]: readonly string[], names: readonly string[]): boolean {
  if (first === undefined) return names.length === 0;
  const [name, ...others] = names;
  if (first === "**") return fits(rest, names) || (name !== undefined && fits([first, ...rest], others));
  return name !== undefined && nameFits(first, name) && fits(rest, others);
}

function nameFits(pattern: string, name: string): boolean {
  if (pattern === "") return name === "";
  if (pattern.startsWith("*")) return nameFits(pattern.slice(1), name) || (name !== "" && nameFits(pattern, name.slice(1)));
  return name !== "" && (pattern.startsWith("?") || pattern[0] === name[0]) && nameFits(pattern.slice(1), name.slice(1));
}
