/** Replaces what is new in each run of a program in the log of its conversations: days and times. */
export function fixLog(output: string): string {
  return output
    .replaceAll(/(?<=\/conversations\/)\d{4}-\d\d-\d\d/g, "2026-03-02")
    .replaceAll(/(?<=\| ## )\d\d:\d\d/g, "09:05");
}
