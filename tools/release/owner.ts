/** Stands where the owner's name on GitHub belongs, as long as nobody has set it. */
export const placeholder = "OWNER";

const repository = "langgraph-mongo-memory";
const loginPattern = /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/i;

const anyName = "(?<![\\w-])([\\w-]{1,39})";

/** Addresses of this repository and its site, and its name in the registry of MCP. A link can hold them encoded. */
const addresses = [
  new RegExp(`github\\.com/${anyName}/${repository}\\b`, "g"),
  new RegExp(`\\bio\\.github\\.${anyName}(?:/|%2F)${repository}\\b`, "g"),
  new RegExp(`${anyName}\\.github\\.io/${repository}\\b`, "g"),
];

/** @throws RangeError if GitHub gives nobody such a name */
export function checkOwner(name: string): string {
  if (loginPattern.test(name) && name !== placeholder) return name;
  throw new RangeError(
    `the owner must be the name of a user or an organisation on GitHub, such as acme (given "${name}")`,
  );
}

/** Returns the owner that `repository.url` of package.json names. All other places follow it. @throws RangeError */
export function ownerOf(manifest: { repository?: { url?: string } }): string {
  const url = manifest.repository?.url ?? "";
  const [, owner] = new RegExp(`^git\\+https://github\\.com/([\\w-]+)/${repository}\\.git$`).exec(url) ?? [];
  if (owner !== undefined) return owner;
  throw new RangeError(`repository.url in package.json must be git+https://github.com/<owner>/${repository}.git`);
}

/** Returns all owners that a text names in addresses of this repository, once each. */
export function ownersIn(text: string): string[] {
  return [...new Set(addresses.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, owner = ""]) => owner)))];
}

/** Returns a text with another owner in all addresses, and where JSON gives an owner or author a name. */
export function withOwner(text: string, from: string, to: string): string {
  const name = `(?<![\\w-])${from}(?![\\w-])`;
  return [
    new RegExp(`${name}(?=(?:/|%2F)${repository}\\b|\\.github\\.io\\b)`, "g"),
    new RegExp(`(?<=github\\.com/(?:sponsors/)?)${name}`, "g"),
    new RegExp(`(?<="(?:name|owner)": ")${name}(?=")`, "g"),
  ].reduce((changed, pattern) => changed.replace(pattern, () => to), text);
}
