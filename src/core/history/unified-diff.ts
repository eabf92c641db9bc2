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

/** A unified diff with three lines of context, that `patch` applies; "" where the texts are equal. */
export async function unifiedDiff(older: DiffSide, newer: DiffSide): Promise<string> {
  if (older.text === newer.text) return "";
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const options = { context: 3, maxEditLength, headerOptions: FILE_HEADERS_ONLY };
  const compared = createTwoFilesPatch(older.name, newer.name, older.text, newer.text, "", "", options);
  return compared ?? wholeDiff(older, newer);
}

/** One hunk that takes all out and puts all in. */
function wholeDiff(older: DiffSide, newer: DiffSide): string {
  const [removed, added] = [splitLines(older.text), splitLines(newer.text)];
  const range = (lines: readonly string[]): string => `${lines.length === 0 ? 0 : 1},${lines.length}`;
  const hunk = [...markLines("-", removed, older.text), ...markLines("+", added, newer.text)];
  return `--- ${older.name}\n+++ ${newer.name}\n@@ -${range(removed)} +${range(added)} @@\n${hunk.join("\n")}\n`;
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function markLines(mark: string, lines: readonly string[], text: string): string[] {
  const all = lines.map((line) => mark + line);
  return text === "" || text.endsWith("\n") ? all : [...all, "\\ No newline at end of file"];
}
