const digits = new Intl.NumberFormat("en");

/** Formats a whole number as `12,345`. */
export function numberText(value: number): string {
  return digits.format(value);
}

/** Formats a count as `1 file`, `2 files`, `1 directory`, `2 directories`. */
export function countText(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${digits.format(count)} ${count === 1 ? noun : plural}`;
}
