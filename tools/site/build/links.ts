import { existsSync } from "node:fs";
import { posix } from "node:path";
import { repositoryAddress, type Project } from "./project.js";

/** Where the links of a page lead. */
export interface Targets {
  project: Project;
  /** Site path by source, for every page. */
  paths: ReadonlyMap<string, string>;
}

/** A code block, code in running text, the target of a link between `](` and `)`, or that of a picture in HTML. */
const codeOrLink =
  /^[ \t]*(`{3,})[^]*?^[ \t]*\1[ \t]*$|`[^`\n]+`|(?<=\]\()(?<link>[^)]+)(?=\))|(?<=\b(?:src|srcset)=")(?<picture>[^"]+)/gm;

/**
 * Changes the links of a page, which hold in the repository, so that they hold in the site. A link to a file that is no
 * page leads to the repository.
 */
export function siteLinks(markdown: string, source: string, path: string, targets: Targets): string {
  return markdown.replaceAll(codeOrLink, (...match) => {
    const [whole] = match as [string];
    const { link, picture } = match.at(-1) as { link?: string; picture?: string };
    const target = link ?? picture;
    return target === undefined ? whole : siteLink(target.replaceAll(/\s+/g, " "), source, path, targets);
  });
}

function siteLink(link: string, source: string, path: string, { project, paths }: Targets): string {
  if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
  const [file = "", anchor] = link.split("#");
  const target = posix.join(posix.dirname(source), file).replace(/\/$/, "");
  const end = anchor === undefined ? "" : `#${anchor}`;
  const page = paths.get(target) ?? paths.get(`${target}/README.md`);
  if (page !== undefined) return relative(path, page) + end;
  if (target.startsWith("docs/images/") && existsSync(target)) return relative(path, target.slice("docs/".length));
  const address = repositoryAddress(project, target);
  if (address === undefined) throw new Error(`${source} has a link to ${link}, which does not exist`);
  return address + end;
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
