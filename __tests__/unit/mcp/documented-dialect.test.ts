import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph";
import { createMcpServer, type Dialect } from "../../../src/mcp/index.js";
import { openMemory } from "../../../src/index.js";
import { pageAt, programsOf } from "../../helpers/documentation.js";
import { answerOf, connectInMemory } from "../../helpers/mcp-clients.js";
import { testFolder } from "../../helpers/test-folder.js";

const folder = testFolder();

/** The program of docs/writing-a-dialect.md itself, so that page and test cannot differ. */
async function dialectOfPage(): Promise<Dialect> {
  const [program = ""] = programsOf(pageAt("docs/writing-a-dialect.md").text);
  const file = join(folder, "facts-dialect.ts");
  await writeFile(file, program.replaceAll('"langgraph-mongo-memory"', JSON.stringify(resolve("src/index.ts"))));
  const { factsDialect } = (await import(file)) as { factsDialect: Dialect };
  return factsDialect;
}

it("the dialect of docs/writing-a-dialect.md works over MCP, and as tools of LangChain", async () => {
  const memory = openMemory(new InMemoryStore(), { nodeId: "assistant" });
  const dialect = await dialectOfPage();
  const client = await connectInMemory(createMcpServer({ memory, dialects: [dialect] }));
  const facts = ["Ada is vegetarian.", "Ada lives in Rome."];
  await Promise.all(facts.map((fact) => answerOf(client, { subject: "ada", fact }, "remember")));
  expect((await answerOf(client, { subject: "ada" }, "recall")).split("\n").toSorted()).toEqual(facts);
  expect(await answerOf(client, { subject: "bob" }, "recall")).toBe("I know nothing about that.");
  expect(await answerOf(client, { subject: 7 }, "recall")).toBe("That did not work: EINVAL: subject is required");
  expect(await answerOf(client, { subject: "a ", fact: "x" }, "remember")).toMatch(/^That did not work: /);
  const [remember] = dialect.tools.map(({ name, description, schema, answer }) =>
    tool(async (args) => (await answer(args, async () => memory)).text, {
      name,
      description: typeof description === "function" ? description(memory.paths) : description,
      schema,
    }),
  );
  expect(await remember?.invoke({ subject: "eve", fact: "Eve is vegetarian." })).toBe("Kept.");
  expect(await memory.read("/facts/eve")).toBe("Eve is vegetarian.");
});
