import { hashSha256 } from "./sha256.js";

export type ArchiveLine = Record<string, unknown>;

/** Returns the text of an archive. If its last line is an end, it has the right number of lines and the right hash. */
export function archiveOf(lines: readonly ArchiveLine[]): string {
  let text = "";
  for (const line of lines) {
    const sha256 = hashSha256(text);
    text += `${JSON.stringify("end" in line ? { ...line, lines: lines.length, sha256 } : line)}\n`;
  }
  return text;
}

/** Returns the lines of an archive. */
export function linesOf(archive: string): ArchiveLine[] {
  return archive
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ArchiveLine);
}
