const digits = new Intl.NumberFormat("en");

/** Formats a number of bytes as `12,345`. */
export function bytesText(sizeBytes: number): string {
  return digits.format(sizeBytes);
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** Formats a time for people: `just now`, `2 hours ago`, `yesterday`. */
export function agoText(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  const step = steps.find(([, size]) => Math.abs(ms) >= size);
  return step === undefined ? "just now" : relative.format(Math.trunc(ms / step[1]), step[0]);
}

/** Formats a count as `1 file`, `2 files`, `1 directory`, `2 directories`. */
export function countText(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${digits.format(count)} ${count === 1 ? noun : plural}`;
}
