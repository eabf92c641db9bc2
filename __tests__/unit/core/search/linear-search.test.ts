import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { afterAll, describe, expect, it } from "@jest/globals";
import { openMemory } from "../../../../src/index.js";
import { countSteps, stopCounting } from "../../../helpers/counted-steps.js";

afterAll(stopCounting);

describe("a search in hostile texts", () => {
  const path = `/${"x ".repeat(120)}x`.repeat(4);
  const headings = [1, 2, 3, 4, 5, 6].map((level) => `${"#".repeat(level)} ${"x ".repeat(495)}`).join("\n");

  it.each([
    ["short lines under six long headings and a long path", `${headings}\n${"x y\n".repeat(8000)}`],
    ["short lines under a heading", `# x\n${"x y\n".repeat(8000)}`],
    ["headings", "# x\n## x\n### y\n".repeat(3000)],
    ["dates", `2024-05-08\n${"1 May 2024\nx\n".repeat(4000)}`],
    ["one word again and again", `${"x ".repeat(495)}\n`.repeat(60)],
  ])("takes no more steps than there are words, in %s", async (_what, text) => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "steps" }, { paths: "posix" });
    await memory.write(path, text);
    await memory.write("/other", "y");
    const getSteps = (query: string): Promise<number> => countSteps(/core\/search\//, () => memory.search(query));
    const words = `${path} ${text}`.split(/\W+/).length;
    const passages = text.split("\n").length;
    expect(await getSteps("x y")).toBeLessThan(60 * (words + passages));
    expect(await getSteps("y x")).toBeLessThan(40 * (words + passages));
  });
});
