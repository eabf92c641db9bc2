import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { exitCodeMeanings } from "../../../src/cli/errors.js";
import { memoryOptions, getDatabaseName, getDatabaseTarget } from "../../../src/cli/targets/target-options.js";
import {
  commandsOfProgram,
  createProgramToRead,
  readCommandTemplate,
  renderCommands,
} from "../../../tools/tool-pages/render-commands.js";
import { withoutCode } from "../../helpers/documentation.js";
import { cli } from "../../helpers/run-cli.js";

const commands = commandsOfProgram(createProgramToRead());
const template = readCommandTemplate();
const reference = await readFile("docs/command-line.md", "utf8");
describe("the program", () => {
  it("has all commands of its documentation", () => {
    expect(commands.map(([name]) => name)).toEqual([
      "memories",
      "ls",
      "tree",
      "cat",
      "grep",
      "search",
      "prompt",
      "append",
      "write",
      "rm",
      "mv",
      "forget",
      "log",
      "diff",
      "blame",
      "revert",
      "redact",
      "proposals",
      "approve",
      "reject",
      "export",
      "import",
      "merge",
      "tidy",
      "doctor",
      "migrate earlier-format",
      "page",
      "mcp",
      "init",
    ]);
  });

  it("prints its version and its help, which fits a screen of 50 lines", async () => {
    expect(await cli(["--version"])).toEqual({ exitCode: 0, stdout: "0.0.0-test\n", stderr: "" });
    for (const argv of [["--help"], ["help"], []]) {
      const { exitCode, stdout, stderr } = await cli(argv);
      expect([exitCode, stderr]).toEqual([0, ""]);
      for (const [name] of commands) expect(stdout).toContain(`  ${name.split(" ")[0]} `);
      const lines = stdout.split("\n");
      expect(lines.length).toBeLessThanOrEqual(50);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    }
  });
});

/** The headings of a help. */
const headingsOf = (help: string): string[] => help.split("\n").filter((line) => /^[A-Z][^:]*:$/.test(line));

it("the help has the commands in five groups", async () => {
  const { stdout } = await cli([]);
  expect(headingsOf(stdout)).toEqual([
    "Options:",
    "Looking:",
    "Changing:",
    "Looking back and deciding:",
    "Moving and keeping in order:",
    "Serving and starting:",
  ]);
});

describe.each(commands)("the help of %s", (name, command) => {
  it("has examples whose options exist, the exit codes and --json", async () => {
    const { exitCode, stdout } = await cli([...name.split(" "), "--help"]);
    expect(exitCode).toBe(0);
    for (const [code, meaning] of exitCodeMeanings)
      expect(stdout).toContain(`  ${String(code).padEnd(3)} ${meaning}\n`);
    expect(stdout).toContain("--json");
    const examples = /Examples:\n((?: {2}.+\n)+)/.exec(stdout)?.[1]?.trimEnd().split("\n") ?? [];
    expect(examples.length).toBeGreaterThan(0);
    const known = new Set(command.options.flatMap(({ short, long }) => [short, long]));
    for (const example of examples) {
      expect(example).toMatch(new RegExp(String.raw` langgraph-mongo-memory ${name}`));
      const flags = Array.from(
        example
          .replace(/^.*langgraph-mongo-memory/, "")
          .replaceAll(/"[^"]*"|'[^']*'/g, "")
          .matchAll(/ (--?[a-zA-Z][a-z-]*)/g),
        ([, flag]) => flag,
      );
      expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
    }
  });

  it("fits a terminal of 80 columns, and says which options name the memory", async () => {
    const { stdout } = await cli([...name.split(" "), "--help"], { terminal: true });
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(headingsOf(stdout).includes("Which memory:")).toBe(stdout.includes("--uri "));
  });

  it("is in the reference, with every option and its examples", () => {
    const section = reference.split(/^(?=##+ )/m).find((each) => each.startsWith(`### \`${name}\`\n\n`)) ?? "";
    // A section names the options of a memory only if its command takes some of them.
    const shared = section.includes("[Which memory](#which-memory): ") ? [] : memoryOptions.map(({ long }) => long);
    // One sentence names the commands that take `--as`.
    const takesAuthor = new RegExp(String.raw`\`${name}\`.* take:$`, "m").test(reference);
    expect(section).toContain(`\n\n\`${name} `);
    expect(section).toMatch(new RegExp(String.raw`\`\`\`sh\n(?:.*\n)*?(?:.*\| )?langgraph-mongo-memory ${name}`));
    const missing = command.options
      .map(({ long }) => long ?? "")
      .filter(
        (long) =>
          long !== "--json" &&
          !(long === "--as" && takesAuthor) &&
          !shared.includes(long) &&
          !new RegExp(String.raw`[\`,] ?\`?${long}[ \`]`).test(section),
      );
    expect(missing).toEqual([]);
  });
});

describe("the reference of the commands", () => {
  it("is what `npm run docs:tools` makes", () => {
    expect(reference).toBe(renderCommands(template));
  });

  it("cannot be made without a command", () => {
    expect(() => renderCommands(template.replace("### `cat`\n", ""))).toThrow(/memories, ls, tree, grep/);
  });

  it("has the exit codes of the program", () => {
    const rows = Array.from(reference.matchAll(/^\| (\d+) \| (.+) \|$/gm), ([, code, meaning]) => [
      Number(code),
      meaning?.replaceAll("`", ""),
    ]);
    expect(rows).toEqual(exitCodeMeanings.map(([code, meaning]) => [code, meaning]));
  });

  it("shows no name in angle brackets outside of code, which a browser would read as HTML", () => {
    const text = withoutCode(reference).replaceAll(/`[^`\n]+`|<!--.*-->/g, "");
    expect(text).not.toMatch(/<\w/);
  });
});

describe("the database of a connection string", () => {
  it.each([
    ["mongodb://host/app", "app"],
    ["mongodb+srv://user:pass%2Fword@host/app?retryWrites=true", "app"],
    ["mongodb://a:1,b:2/my%20app", undefined],
    ["mongodb://a:1,b:2/caf%C3%A9?replicaSet=r", "café"],
    ["mongodb://host", undefined],
    ["mongodb://host/", undefined],
    ["mongodb://host/?authSource=admin", undefined],
    ["mongodb://host?x=a/b", undefined],
    ["mongodb://host/%E0%A4%A", undefined],
    ["mongodb://user:unescaped/secret@host/app", undefined],
  ])("%s is %s", (uri, name) => {
    expect(getDatabaseName(uri)).toBe(name);
  });
});

describe("the database of a command", () => {
  it.each([
    [{}, "env"],
    [{ db: "db" }, "db"],
    [{ uri: "mongodb://host/app" }, "app"],
    [{ uri: "mongodb://host/app", db: "db" }, "db"],
    [{ uri: "mongodb://host" }, undefined],
  ])("of the options %j is %s", (options, name) => {
    expect(getDatabaseTarget(options, { MONGODB_URI: "mongodb://host/env" }).dbName).toBe(name);
  });
});
