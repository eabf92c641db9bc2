import { readFrontMatter } from "../core/search/front-matter.js";
import type { MoveInEntry } from "./entry.js";

/**
 * Returns the text of a whole file, with front matter that says where the text comes from. A text keeps the front matter
 * that it has.
 */
export function withOrigin({ content, at, createdAt = at, author, sources = [] }: MoveInEntry): string {
  if ((author === undefined && sources.length === 0) || readFrontMatter(content) !== null) return content;
  const fields = [
    ...(sources.length === 0 ? [] : [`sources: ${JSON.stringify(sources.map((resource) => ({ resource })))}`]),
    ...(author === undefined ? [] : [`author: ${JSON.stringify(author)}`]),
    ...(createdAt === undefined ? [] : [`created: ${createdAt.toISOString()}`]),
    ...(at === undefined || at.getTime() === createdAt?.getTime() ? [] : [`updated: ${at.toISOString()}`]),
  ];
  return `---\n${fields.join("\n")}\n---\n${content}`;
}
