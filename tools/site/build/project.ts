import { existsSync, readFileSync, statSync } from "node:fs";

/** What the site takes from the package.json of the project, so that each address stands there alone. */
export interface Project {
  name: string;
  version: string;
  description: string;
  /** The address of the repository in a browser, without a slash at the end. */
  repository: string;
  /** The address of the published site. */
  homepage: string | undefined;
}

interface PackageFile {
  name: string;
  version: string;
  description: string;
  repository: { url: string };
  homepage?: string;
}

export function readProject(): Project {
  const { name, version, description, repository, homepage } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as PackageFile;
  const address = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  return { name, version, description, repository: address, homepage };
}

/** The address of a file or folder of the project in its repository. Undefined if the project has no such file. */
export function repositoryAddress(project: Project, path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return `${project.repository}/${statSync(path).isDirectory() ? "tree" : "blob"}/main/${path}`;
}
