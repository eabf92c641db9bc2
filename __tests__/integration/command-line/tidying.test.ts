import { expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { cli, cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const target = ["--uri", uri, "--db", dbName, "--node", "a"];

it("tidy prints a line for each finding, and leaves out what --ignore names", async () => {
  const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId: "a" });
  await memory.write("/a.md", "# Ada\n- likes tea\n- rides a \u200bbike\n- likes tea\n");
  await memory.write("/empty.md", "");
  await memory.write("/old.md", "---\nstale_after: 2020-01-01\n---\nthe office is closed\n");
  expect(await cli(["tidy", "--max-chars", "50", ...target])).toEqual({
    exitCode: 0,
    stderr: "",
    stdout:
      "/a.md:3: hidden: hidden characters: \\u200b\n" +
      "/a.md:4: duplicate: the line repeats line 2 of /a.md\n" +
      "/empty.md: empty: the file has no text\n" +
      "/old.md: stale: the note says that it is stale after 2020-01-01\n" +
      "/old.md: large: 53 characters are more than the 50 that a connector shows; split the file\n" +
      "5 findings\n",
  });
  const { findings } = await cliJson(["tidy", "--ignore", "/old.md", ...target]);
  expect(findings).toMatchObject([{ path: "/a.md" }, { path: "/a.md" }, { path: "/empty.md" }]);
});

it.each(["{a,b}", "/{a,b}", "profile", "/a**", "/../a"])("tidy refuses the pattern %s of --ignore", async (pattern) => {
  const { exitCode, stderr } = await cli(["tidy", "--ignore", pattern, ...target]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`--ignore ${JSON.stringify(pattern)}: `)]);
});
