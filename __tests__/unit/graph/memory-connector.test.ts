import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { mountMemories, MemoryConnectorNode, MemoryNode, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";

const store = new InMemoryStore();

describe("the message of a connector", () => {
  it("says that the memory is empty where it is, and what would stand in for it, too", async () => {
    const thread = new MemoryNode({ ...freshAddress(), store, scope: "perThread" });
    const empty = "This memory is empty; the memory tool writes to it.\nScope: ";
    for (const content of ["tree", "index", "full"] as const) {
      const connector = thread.createConnector({ content });
      const own = await connector.renderMessage({ threadId: "1" });
      expect(own?.text).toContain(`${empty}perThread, this thread only.`);
      expect(await connector.renderMessage()).toBeNull();
      const shared = await new MemoryNode({ ...freshAddress(), store }).createConnector({ content }).renderMessage();
      expect(shared?.text).toContain(`${empty}global, shared by all threads.`);
    }
    await thread.globalMemory().append("/shared", "x");
    expect((await thread.createConnector().renderMessage({ threadId: "1" }))?.text).toContain("/shared");
  });

  it("is the global one where a thread has no files, whatever directories it has, and its own where neither has files", async () => {
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perThread" });
    await node.globalMemory().append("/shared", "x");
    await node.memory("1").append("/own/note", "x");
    const shown = async (): Promise<string> =>
      (await node.createConnector().renderMessage({ threadId: "1" }))?.text ?? "";
    await node.memory("1").delete("/own/note");
    expect(await shown()).toContain("\n/shared (1 byte)\n");
    await node.globalMemory().delete("/shared");
    expect(await shown()).toContain('<memory scope="perThread"');
    expect(await shown()).toContain("\n/own/\n");
    await node.memory("1").delete("/");
    expect(await shown()).toContain("This memory is empty");
  });

  it("is the global one in a tree of mounts, too, where a thread has no files at the root", async () => {
    const other = new MemoryNode({ ...freshAddress(), store });
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perThread", mounts: { "/other": other } });
    await node.globalMemory().append("/shared", "x");
    await node.memory("1").append("/own/note", "x");
    await node.memory("1").delete("/own/note");
    expect((await node.createConnector().renderMessage({ threadId: "1" }))?.text).toContain("\n/shared (1 byte)\n");
  });

  it("is the tree that an object of the program gives, with a line for each memory", async () => {
    const [own, team] = [openMemory(store, freshAddress()), openMemory(store, freshAddress())];
    await team.write("/plan", "x");
    const tree = mountMemories({ "/": own, "/team": { memory: team, access: "read" } });
    const memory = { scope: "global", memoryForRun: () => tree, globalMemory: () => tree } as const;
    const text = (await new MemoryConnectorNode({ memory }).renderMessage())?.text;
    expect(text).toContain("\n/ (global, empty)\n/team/ (global, read-only)\n/team/plan (1 byte)\n");
  });

  it("is merged into the system message of a list of plain objects, which has the turn beside its question", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await node.memory().write("/pets", `${"The zebra sleeps.\n".repeat(400)}The lion is called Leo.`);
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Who is the lion?" },
    ];
    const placed = await node.createConnector({ content: "auto", maxChars: 2000 }).inject(messages);
    expect(placed.map(({ type }) => type)).toEqual(["system", "human"]);
    expect(placed[0]?.text).toMatch(/^Be kind\.\n\n[^]*<memory /);
    expect(placed[1]?.text).toMatch(/called Leo[^]*\n\nWho is the lion\?$/);
  });

  it.each(["index", "auto"] as const)(
    "shows a skill by its name and description, if it is long: %s",
    async (content) => {
      const node = new MemoryNode({ ...freshAddress(), store });
      const skill = `---\nname: verse\ndescription: How to write a verse\n---\n${"Count the syllables.\n".repeat(500)}`;
      await node.memory().write("/skills/verse/SKILL.md", skill);
      const text = (await node.createConnector({ content }).renderMessage({ question: "Hi" }))?.text;
      expect(text).toContain(`\n/skills/verse/SKILL.md (${skill.length} bytes): How to write a verse\n`);
    },
  );

  it("is an index with a line about each file, after all names if there are more files than fit", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await node.memory().write("/skill.md", "---\ndescription: How to ship\n---\n# Shipping");
    const connector = node.createConnector({ content: "index", maxChars: 700 });
    expect((await connector.renderMessage())?.text).toContain("\n/skill.md (43 bytes): How to ship\n");
    for (let index = 0; index < 60; index += 1) await node.memory().write(`/${index}`, "x");
    expect((await connector.renderMessage())?.text).toMatch(
      /view="index"[^]*\n\/2 \(1 byte\)\n[^]*\n\(29 of 61 entries left out\)\n\(\d+ descriptions left out\)/,
    );
  });
});
