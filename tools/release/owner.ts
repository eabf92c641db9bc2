/** Stands in `package.json` where the owner's name on GitHub belongs, as long as nobody has written it. */
export const placeholder = "OWNER";

const repository = "langgraph-mongo-memory";
const anyName = "(?<![\\w-])([\\w-]{1,39})";

/** Addresses of this repository and its site, and its name in the registry of MCP. */
const addresses = [
  new RegExp(`github\\.com/${anyName}/${repository}\\b`, "g"),
  new RegExp(`\\bio\\.github\\.${anyName}(?:/|%2F)${repository}\\b`, "g"),
  new RegExp(`${anyName}\\.github\\.io/${repository}\\b`, "g"),
];

interface Owned {
  repository?: { url?: string };
}

/** Returns the owner that `repository.url` of package.json names. @throws RangeError */
export function ownerOf(manifest: Owned): string {
  const url = manifest.repository?.url ?? "";
  const [, owner] = new RegExp(`^git\\+https://github\\.com/([\\w-]+)/${repository}\\.git$`).exec(url) ?? [];
  if (owner !== undefined) return owner;
  throw new RangeError(`repository.url in package.json must be git+https://github.com/<owner>/${repository}.git`);
}

/** Returns all owners that a text names in addresses of this repository, once each. */
export function ownersIn(text: string): string[] {
  return [...new Set(addresses.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, owner = ""]) => owner)))];
}

/** Returns the entry of the registry of MCP with the names that depend on the owner. */
export function withOwnerOf(manifest: Owned & { mcpName: string }, server: object): object {
  const url = `https://github.com/${ownerOf(manifest)}/${repository}`;
  return { ...server, name: manifest.mcpName, repository: { url, source: "github" } };
}
