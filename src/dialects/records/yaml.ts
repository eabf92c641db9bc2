import { type ScalarTag, stringify } from "yaml";

/** Replaces the library's own tag, which drops milliseconds that are zero. */
const instant: ScalarTag = {
  tag: "tag:yaml.org,2002:timestamp",
  default: true,
  identify: (value) => value instanceof Date,
  resolve: (text) => text,
  // `identify` accepts dates only.
  stringify: ({ value }) => (value as Date).toISOString(),
};

/** The fields of an answer. */
export type Fields = Record<string, string | number | Date | readonly Record<string, string>[]>;

/**
 * Formats one plain mapping, with one line for each field except lists. Quotes a text that YAML 1.2 would read as
 * another type. Also for YAML 1.1, which many readers still use (`yes`, `2024-01-15`).
 */
export function toYaml(fields: Fields): string {
  return stringify(fields, {
    lineWidth: 0,
    blockQuote: false,
    compat: "yaml-1.1",
    customTags: (tags) => [...tags, instant],
  });
}
