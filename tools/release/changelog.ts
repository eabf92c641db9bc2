/** The section of one version in a changelog. */
export interface ChangelogSection {
  /** As `2026-11-25`. */
  date: string;
  /** What stands between this heading and the next. */
  text: string;
}

/** Whether a changelog has entries that belong to no version yet. */
export function hasUnreleased(changelog: string): boolean {
  return /^## Unreleased/m.test(changelog);
}

/** Returns the section of a version. @throws RangeError if the changelog has none with a date */
export function changelogSection(changelog: string, version: string): ChangelogSection {
  const sections = changelog.split(/^## /m).slice(1);
  for (const section of sections) {
    const [heading = "", ...lines] = section.split("\n");
    const [, date] = /^\S+ - (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? [];
    if (date !== undefined && heading.startsWith(`${version} `)) return { date, text: lines.join("\n").trim() };
  }
  throw new RangeError(`CHANGELOG.md has no section "## ${version} - YYYY-MM-DD"`);
}

/** Returns a text whose links to files of the repository lead to GitHub, as the page of a release needs them. */
export function withAbsoluteLinks(text: string, owner: string, version: string): string {
  const base = `https://github.com/${owner}/langgraph-mongo-memory/blob/v${version}/`;
  return text.replaceAll(/\]\((?!https?:|#)/g, `](${base}`);
}
