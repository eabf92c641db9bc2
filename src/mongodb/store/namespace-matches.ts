import type { Batches } from "../driver/ordered-streams.js";
import type { NamespaceMatch } from "../operations/checked-operation.js";

/**
 * Returns the labels that every namespace must begin with, and the conditions that are checked for namespaces below
 * them.
 */
export function splitMatches(matches: readonly NamespaceMatch[]): { prefix: string[]; others: NamespaceMatch[] } {
  const prefixes = matches
    .filter(({ matchType }) => matchType === "prefix")
    .map(({ path }) => path.slice(0, path.includes("*") ? path.indexOf("*") : path.length));
  const prefix = prefixes.toSorted((a, b) => b.length - a.length)[0] ?? [];
  const others = matches.filter(({ matchType, path }) => matchType !== "prefix" || !isSame(path, prefix));
  return { prefix, others };
}

function satisfies({ matchType, path }: NamespaceMatch, namespace: readonly string[]): boolean {
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  if (path.length > namespace.length) return false;
  return path.every((label, index) => label === "*" || label === namespace[start + index]);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((label, index) => label === b[index]);
}

/**
 * Yields the namespaces that match, cut to `maxDepth`. They are sorted, so equal ones are neighbours even after the cut.
 */
export async function* selectNamespaces(
  namespaces: Batches<string[]>,
  matches: readonly NamespaceMatch[],
  maxDepth: number,
): AsyncGenerator<string[][]> {
  let previous: string[] | undefined;
  for await (const batch of namespaces) {
    const selected: string[][] = [];
    for (const namespace of batch) {
      if (!matches.every((match) => satisfies(match, namespace))) continue;
      const cut = namespace.slice(0, maxDepth);
      if (previous === undefined || !isSame(previous, cut)) selected.push(cut);
      previous = cut;
    }
    yield selected;
  }
}
