import { cli } from "../../__tests__/helpers/run-cli.js";
import type { HostileCall } from "./hostile-call.js";
import { nearlyEverywhere, newlines, sameLetter, writeFile } from "./texts.js";

function grep(input: string, textOf: (bytes: number) => string, args: (bytes: number) => string[]): HostileCall {
  return {
    name: `command line: grep${args(100).includes("-E") ? " -E" : ""}`,
    input,
    prepare: async ({ memory, uri, dbName }, bytes) => {
      const { address } = await writeFile(memory(), textOf(bytes));
      return () =>
        cli(["grep", ...args(bytes), "--node", address.nodeId, "--uri", uri, "--db", dbName], { terminal: true });
    },
  };
}

export const commandLineCalls: HostileCall[] = [
  grep("a file of one letter, a text nearly found everywhere", sameLetter, (bytes) => [nearlyEverywhere(bytes)]),
  grep("a file of one letter, each marked", sameLetter, () => ["a"]),
  grep("a file of newlines, all of which match", newlines, () => [""]),
  grep(
    "a file of one letter, `x\\|(a+)+$` (ended after 2 s)",
    (bytes) => `x${"a".repeat(bytes - 2)}b`,
    () => ["-E", "x|(a+)+$"],
  ),
];
