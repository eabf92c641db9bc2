import { Option } from "commander";
import { type GrepMatch, maxGrepMatches } from "../../../core/search/search-options.js";
import { ROOT } from "../../../core/values/paths.js";
import { about, storageAdvice } from "../../errors.js";
import { memoryCommand } from "../../memory-command.js";
import { readOptions } from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";
import { printEach } from "../../terminal/print-each.js";
import { assertPath, formatLine } from "./lines.js";

export const grep = memoryCommand<{ pattern: string; path?: string; regex?: boolean; ignoreCase?: boolean }>({
  usage: "grep <pattern> [path]",
  description:
    "Find lines that contain a text, in all files, in the files below a directory, or in one file. With --json, it " +
    "prints an object for each line.",
  examples: [
    'grep "vegetarian" --node assistant',
    'grep -E -i "^todo:" /notes --node assistant',
    "grep milk --dir ./memory",
  ],
  options: [
    new Option(
      "-E, --regex",
      "the pattern is a regular expression of RE2, without look-around and back-references; needs the package re2js",
    ),
    new Option("-i, --ignore-case", "ignore upper and lower case"),
    ...readOptions,
  ],
  access: "read",
  run: async ({ memory }, { pattern, path = ROOT, regex, ignoreCase, json }, context) => {
    await assertPath(memory, path);
    const options = { path, ignoreCase, limit: maxGrepMatches };
    const search = (): Promise<GrepMatch[]> => memory.grep(regex === true ? { regex: pattern } : pattern, options);
    const matches = await about("the pattern", search, {
      EINVAL: regex === true ? "leave -E out to search for it as it is" : "pass a text of one line",
      EIO: storageAdvice,
    });
    await printEach(context, json, matches, formatLine);
    if (matches.length === maxGrepMatches)
      await context.err.note(`only the first ${countText(maxGrepMatches, "line")} are shown`, json === true);
    return undefined;
  },
});
