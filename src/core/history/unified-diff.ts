/**
 * How many lines may differ at most until all is taken for different: to compare takes time that grows with their
 * square.
 */
const maxEditLength = 1000;

export interface DiffSide {
  /** Of the header. */
  name: string;
  text: string;
}

/** A piece of a difference: lines with their sign, and where they begin in both texts, from 1. */
export interface DiffHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** The pieces in which two texts differ, with three lines of context; none where the texts are equal. */
export async function findHunks(older: string, newer: string): Promise<DiffHunk[]> {
  if (older === newer) return [];
  const { structuredPatch } = await import("diff");
  const compared = structuredPatch("", "", older, newer, "", "", { context: 3, maxEditLength });
  return compared?.hunks ?? [createWholeHunk(older, newer)];
}

/** A unified diff that `patch` applies; "" where the texts are equal. */
export async function unifiedDiff(older: DiffSide, newer: DiffSide): Promise<string> {
  const hunks = await findHunks(older.text, newer.text);
  if (hunks.length === 0) return "";
  const { formatPatch, FILE_HEADERS_ONLY } = await import("diff");
  return formatPatch(
    { oldFileName: older.name, newFileName: newer.name, oldHeader: "", newHeader: "", hunks },
    FILE_HEADERS_ONLY,
  );
}

/** Takes all out and puts all in. */
function createWholeHunk(older: string, newer: string): DiffHunk {
  const [removed, added] = [splitLines(older), splitLines(newer)];
  return {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...addSign("-", removed, older), ...addSign("+", added, newer)],
  };
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function addSign(sign: string, lines: readonly string[], text: string): string[] {
  const all = lines.map((line) => sign + line);
  return text === "" || text.endsWith("\n") ? all : [...all, "\\ No newline at end of file"];
}
