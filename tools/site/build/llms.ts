import { readFileSync } from "node:fs";
import type { SiteSection } from "./pages.js";
import type { Project } from "./project.js";

/** What an agent can skip, by the convention of llms.txt. */
const optional = new Set(["Measurements", "Project"]);

/** Writes llms.txt: every page with its address and what it is about. */
export function agentIndex(project: Project, sections: readonly SiteSection[], base: string): string {
  const listed = sections.filter(({ title }) => !optional.has(title));
  const rest = sections.filter(({ title }) => optional.has(title)).flatMap(({ pages }) => pages);
  const parts = [...listed, { title: "Optional", pages: rest }].map(
    ({ title, pages }) => `## ${title}\n\n${pages.map((page) => line(page, base)).join("\n")}\n`,
  );
  const about = `Every page is Markdown at the address below. [llms-full.txt](${base}llms-full.txt) has all guides in one file.`;
  return `# ${project.name}\n\n> ${project.description}\n\n${about}\n\n${parts.join("\n")}`;
}

function line({ title, path, about }: SiteSection["pages"][number], base: string): string {
  return `- [${title}](${base}${path})${about === "" ? "" : `: ${about}`}`;
}

/** Writes llms-full.txt: the text of every page but the optional ones. */
export function agentText(
  project: Project,
  sections: readonly SiteSection[],
  fileOf: (path: string) => string,
): string {
  const pages = sections.filter(({ title }) => !optional.has(title)).flatMap((section) => section.pages);
  const texts = pages.map(({ path }) => `<!-- ${path} -->\n\n${withoutHint(readFileSync(fileOf(path), "utf8"))}`);
  return `# ${project.name} ${project.version}\n\n> ${project.description}\n\n${texts.join("\n\n---\n\n")}`;
}

function withoutHint(markdown: string): string {
  return markdown.replace(/^> All pages: .+\n\n/, "");
}
