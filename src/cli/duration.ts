const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a number and its unit, such as `30d` or `12h`. Returns NaN for any other text. */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return Number(count) * (unitMs[unit] ?? NaN);
}
