import { readFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import type { Command } from "commander";
import { exitCodeMeanings } from "../../../src/cli/exit-codes.js";
import { Output } from "../../../src/cli/terminal/output.js";
import { createProgram } from "../../../src/cli/program.js";
import { cli } from "../../helpers/run-cli.js";

const program = programOfTest();
const commands = leavesOf(program);
const page = await readFile("docs/command-line.md", "utf8");

function programOfTest(): Command {
  const stdout = new PassThrough();
  const io = {
    stdin: new PassThrough(),
    stdout,
    stderr: stdout,
    env: {},
    version: "0",
    examplesFolder: "examples",
    untilStopped: () => Promise.resolve(),
  };
  const out = new Output(stdout, {});
  return createProgram({ io, out, err: out, redact: (text) => text, exitCode: 0 }, () => undefined);
}

/** The commands that do something, by the words that call them. */
function leavesOf(command: Command, words: string[] = []): [name: string, command: Command][] {
  if (command.commands.length === 0) return [[words.join(" "), command]];
  return command.commands.flatMap((inner) => leavesOf(inner, [...words, inner.name()]));
}

describe("the program", () => {
  it("has all commands of its documentation", () => {
    expect(commands.map(([name]) => name)).toEqual([
      "memories",
      "ls",
      "tree",
      "cat",
      "grep",
      "search",
      "append",
      "write",
      "rm",
      "mv",
      "forget",
      "sweep",
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
      "copy",
      "doctor",
      "migrate earlier-format",
      "migrate mongodb-store",
      "page",
      "mcp",
      "init",
      "completion",
    ]);
  });

  it("prints its version and its help, with the exit codes", async () => {
    expect(await cli(["--version"])).toEqual({ exitCode: 0, stdout: "0.0.0-test\n", stderr: "" });
    for (const argv of [["--help"], ["help"], []]) {
      const { exitCode, stdout, stderr } = await cli(argv);
      expect([exitCode, stderr]).toEqual([0, ""]);
      for (const [name] of commands) expect(stdout).toContain(`  ${name.split(" ")[0]} `);
      for (const [code, meaning] of exitCodeMeanings) expect(stdout).toContain(`${String(code).padEnd(3)} ${meaning}`);
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
    "Exit codes:",
  ]);
});

describe.each(commands)("the help of %s", (name, command) => {
  it("has examples whose options exist, the exit codes and --json", async () => {
    const { exitCode, stdout } = await cli([...name.split(" "), "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Exit codes:\n  0   done");
    expect(stdout).toContain("--json");
    const examples = /Examples:\n((?: {2}.+\n)+)/.exec(stdout)?.[1]?.trimEnd().split("\n") ?? [];
    expect(examples.length).toBeGreaterThan(0);
    const known = new Set(command.options.flatMap(({ short, long }) => [short, long]));
    for (const example of examples) {
      expect(example).toMatch(new RegExp(String.raw`[ (]langgraph-mongo-memory ${name}`));
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

  it("is in the guide, with every option", () => {
    expect(page).toContain(`### \`${name}\`\n\n\`${name}`);
    expect(page).toMatch(new RegExp(String.raw`\`\`\`sh\n(?:.*\n)*?(?:.*\| )?langgraph-mongo-memory ${name}`));
    const missing = command.options
      .map(({ long }) => long ?? "")
      .filter((long) => !page.includes(`\`${long}`) && !page.includes(`, \`${long}\``));
    expect(missing).toEqual([]);
  });
});

it("the guide has the exit codes of the program", () => {
  const rows = Array.from(page.matchAll(/^\| (\d+) \| (.+) \|$/gm), ([, code, meaning]) => [
    Number(code),
    meaning?.replaceAll("`", ""),
  ]);
  expect(rows).toEqual(exitCodeMeanings.map(([code, meaning]) => [code, meaning]));
});
