export type ArchiveLine = Record<string, unknown>;

/** Returns the text of an archive. If its last line is an end, it has the right number of files. */
export function archiveOf(lines: readonly ArchiveLine[]): string {
  return lines
    .map((line) => `${JSON.stringify("end" in line ? { ...line, files: lines.length - 1 } : line)}\n`)
    .join("");
}

/** Returns the lines of an archive. */
export function linesOf(archive: string): ArchiveLine[] {
  return archive
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ArchiveLine);
}
