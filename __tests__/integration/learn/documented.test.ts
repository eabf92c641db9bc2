import { expect, it } from "@jest/globals";
import { readCode, runDocumented } from "../../helpers/documented-code.js";
import { change, scripted } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";
import { withDatabase } from "../../helpers/with-database.js";

const { uri, name: dbName } = testDatabase("standalone");

it("the documented program learns, approves and finds what was said", async () => {
  const lines: string[] = [];
  const { model, prompts } = scripted([change("write", "/profile/ada", { text: "Ada lives in Oslo." })]);
  const code = readCode("docs/learn.md", "## Learn from a conversation");
  await runDocumented(code, withDatabase(uri, dbName), {
    ChatOpenAI: function create() {
      return model;
    },
    console: { log: (...texts: unknown[]) => lines.push(texts.join(" ")) },
  });
  expect(prompts[0]).toContain("| I live in Oslo now.");
  // Nothing was refused.
  expect(lines).toEqual(["", "/profile/ada Ada lives in Oslo."]);
});
