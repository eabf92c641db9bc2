export const versionSource = "src/core/values/package-version.ts";

/** A version of this package, and where it stands. */
export interface StatedVersion {
  path: string;
  version: string;
}

/**
 * Returns every version of this package that its JSON files and its code state. @param texts those of the repository, by
 * path
 */
export function statedVersions(texts: ReadonlyMap<string, string>): StatedVersion[] {
  const stated: StatedVersion[] = [];
  for (const [path, text] of texts) {
    if (!path.endsWith(".json") || path.startsWith("__tests__/fixtures/")) continue;
    for (const version of versionsIn(parseJson(text))) stated.push({ path, version });
  }
  const [, version = ""] = /packageVersion = "([^"]*)"/.exec(texts.get(versionSource) ?? "") ?? [];
  return [...stated, { path: versionSource, version }];
}

/** Returns null for JSON with comments, in which no tool looks for a version. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An object with a version belongs to this package if its `name` or `identifier` ends with that of the package. */
function versionsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { name, identifier, version } = value as Record<string, unknown>;
  const isOwn = [name, identifier].some(
    (each) => typeof each === "string" && /(?:^|\/)langgraph-mongo-memory$/.test(each),
  );
  const below = Object.values(value).flatMap((each) => versionsIn(each));
  return isOwn && typeof version === "string" ? [version, ...below] : below;
}
