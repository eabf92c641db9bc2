import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();
const { stdout: bashScript } = await cli(["completion", "bash"]);

/** What bash offers for the last word, which is being typed. */
function completed(...words: string[]): string[] {
  const program = `${bashScript}
    COMP_WORDS=(lgmm "$@") COMP_CWORD=$#
    _langgraph_mongo_memory
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", program, "bash", ...words], { cwd: folder, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe("the completion of bash", () => {
  // Requirement: command-line.completion
  it.each([
    ["commands", ["re"], ["revert", "redact", "reject"]],
    ["commands of a group", ["migrate", "mon"], ["mongodb-store"]],
    ["commands after help", ["help", "prop"], ["proposals"]],
    ["options", ["log", "/notes", "--op"], ["--operation"]],
    ["options of a command in a group", ["migrate", "mongodb-store", "--from-d"], ["--from-db"]],
    ["values of an option", ["log", "--operation", ""], ["created", "modified", "deleted", "renamed"]],
    ["values of an argument", ["completion", ""], ["bash", "zsh", "fish"]],
    ["nothing where a value is free", ["log", "--node", ""], []],
    ["nothing for a path in a memory", ["cat", ""], []],
    ["commands only where a command is expected", ["cat", "migrate", "--dr"], []],
  ])("offers %s", (_, words, offered) => {
    expect(completed(...words)).toEqual(offered);
  });

  // Requirement: command-line.completion
  it("offers files, with their spaces, where a file or a folder is expected", () => {
    writeFileSync(join(folder, "my archive.jsonl"), "");
    expect(completed("import", "my")).toEqual(["my archive.jsonl"]);
    expect(completed("ls", "--dir", "my")).toEqual(["my archive.jsonl"]);
  });

  it("is for both names of the program", () => {
    expect(bashScript).toMatch(/^complete -F _langgraph_mongo_memory langgraph-mongo-memory lgmm$/m);
  });
});

describe.each(["bash", "zsh", "fish"])("the script of %s", (shell) => {
  const hasShell = spawnSync(shell, ["-c", "true"]).status === 0;

  // Requirement: command-line.completion
  it("has all commands, and is accepted by the shell where there is one", async () => {
    const { script } = await cliJson(["completion", shell]);
    for (const name of ["memories", "mongodb-store", "completion"]) expect(script).toContain(name);
    const { status, stderr } = hasShell
      ? spawnSync(shell, ["-n"], { input: String(script), encoding: "utf8" })
      : { status: 0, stderr: "" };
    expect([status, stderr]).toEqual([0, ""]);
  });
});

it("the completion of a shell that is not known says which there are", async () => {
  expect(await cli(["completion", "ksh"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("Allowed choices are bash, zsh, fish"),
  });
});

it("the completion of fish describes what it offers", async () => {
  const { stdout } = await cli(["completion", "fish"]);
  const lines = stdout.split("\n");
  expect(lines).toContain(
    "complete -c langgraph-mongo-memory -n __fish_use_subcommand -a cat -d 'Print a file, byte for byte'",
  );
  expect(lines).toContain(
    "complete -c langgraph-mongo-memory -n '__fish_seen_subcommand_from log' -l operation -x -a 'created modified deleted renamed' -d 'only versions of this kind'",
  );
  expect(lines).toContain("complete -c lgmm -w langgraph-mongo-memory");
});
