import { existsSync, readFileSync, statSync } from "node:fs";

/** What the site takes from the package.json of the project, so that each address stands there alone. */
export interface Project {
  name: string;
  version: string;
  description: string;
  /** The address of the repository in a browser, without a slash at the end. */
  repository: string;
  /** The address of the published site, or undefined as long as it has none. */
  homepage: string | undefined;
}

interface PackageFile {
  name: string;
  version: string;
  description: string;
  repository?: string | { url: string };
  homepage?: string;
}

const placeholder = "https://github.com/OWNER/langgraph-mongo-memory";

export function readProject(): Project {
  const { name, version, description, repository, homepage } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as PackageFile;
  const url = typeof repository === "string" ? repository : (repository?.url ?? placeholder);
  const isPublished = homepage !== undefined && !homepage.includes("OWNER") && !homepage.includes("//github.com/");
  return {
    name,
    version,
    description,
    repository: url.replace(/^git\+/, "").replace(/\.git$/, ""),
    homepage: isPublished ? homepage : undefined,
  };
}

/** The address of a file or folder of the project in its repository. Undefined if the project has no such file. */
export function repositoryAddress(project: Project, path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return `${project.repository}/${statSync(path).isDirectory() ? "tree" : "blob"}/main/${path}`;
}
