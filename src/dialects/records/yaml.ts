import { type ScalarTag, stringify } from "yaml";

/** In place of the library's own tag, which drops the milliseconds where they are zero. */
const instant: ScalarTag = {
  tag: "tag:yaml.org,2002:timestamp",
  default: true,
  identify: (value) => value instanceof Date,
  resolve: (text) => text,
  stringify: ({ value }) => (value as Date).toISOString(),
};

/**
 * One plain mapping with a line for each field. A text that YAML 1.2, or 1.1 as in many readers (`yes`, `2024-01-15`),
 * would read as something else is quoted.
 */
export function toYaml(fields: Record<string, string | number | Date>): string {
  return stringify(fields, {
    lineWidth: 0,
    blockQuote: false,
    compat: "yaml-1.1",
    customTags: (tags) => [...tags, instant],
  });
}
