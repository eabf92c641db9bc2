import type { MemoryAccess, MemoryRule } from "../../src/index.js";

type MemoryPolicy = { access?: MemoryAccess | undefined; rules?: readonly MemoryRule[] | undefined };

/**
 * Decides access in the shortest way: the first matching rule of each policy gives its access, and the strictest policy
 * counts.
 */
export function verdictOf(
  policies: readonly MemoryPolicy[],
  path: string,
  needed: "append" | "write",
): "yes" | "ask" | "no" {
  const accesses = policies.map(({ access = "write", rules = [] }) => {
    const rule = rules.find((each) =>
      fits(each.path.split("/").slice(1), path === "/" ? [] : path.split("/").slice(1)),
    );
    return rule?.access ?? access;
  });
  const refusing: MemoryAccess[] = needed === "append" ? ["read"] : ["read", "append"];
  if (accesses.some((access) => refusing.includes(access))) return "no";
  return accesses.includes("ask") ? "ask" : "yes";
}

export function mayDo(policies: readonly MemoryPolicy[], path: string, needed: "append" | "write"): boolean {
  return verdictOf(policies, path, needed) === "yes";
}

/** Matches names by trying one way after another. */
export function fits([first, ...rest]: readonly string[], names: readonly string[]): boolean {
  if (first === undefined) return names.length === 0;
  const [name, ...others] = names;
  if (first === "**") return fits(rest, names) || (name !== undefined && fits([first, ...rest], others));
  return name !== undefined && nameFits(Array.from(first), Array.from(name)) && fits(rest, others);
}

function nameFits([sign, ...signs]: readonly string[], letters: readonly string[]): boolean {
  const [letter, ...others] = letters;
  if (sign === undefined) return letter === undefined;
  if (sign === "*") return nameFits(signs, letters) || (letter !== undefined && nameFits([sign, ...signs], others));
  return letter !== undefined && (sign === "?" || sign === letter) && nameFits(signs, others);
}
