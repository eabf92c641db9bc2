import { compareNamespaces } from "../places/namespaces.js";
import type { NamespaceMatch } from "../places/operations.js";

/** The labels that every namespace must begin with, as far as one condition gives them without wildcards. */
export function commonPrefix(matches: readonly NamespaceMatch[]): string[] {
  const prefixes = matches
    .filter((match) => match.matchType === "prefix")
    .map(({ path }) => path.slice(0, path.includes("*") ? path.indexOf("*") : path.length));
  return prefixes.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

function satisfies({ matchType, path }: NamespaceMatch, namespace: readonly string[]): boolean {
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  if (path.length > namespace.length) return false;
  return path.every((label, index) => label === "*" || label === namespace[start + index]);
}

/** In order, so equal ones are neighbours even after they are cut. */
export async function* distinctNamespaces(
  namespaces: AsyncIterable<string[]>,
  matches: readonly NamespaceMatch[],
  maxDepth: number,
): AsyncGenerator<string[]> {
  let previous: string[] | undefined;
  for await (const namespace of namespaces) {
    if (!matches.every((match) => satisfies(match, namespace))) continue;
    const cut = namespace.slice(0, maxDepth);
    if (previous !== undefined && compareNamespaces(previous, cut) === 0) continue;
    previous = cut;
    yield cut;
  }
}
