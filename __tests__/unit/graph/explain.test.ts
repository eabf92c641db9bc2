import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { logConversation, MemoryNode, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";

const store = new InMemoryStore();
const question = "Where is the red umbrella?";
const reasonsOf = ({ leftOut }: { leftOut: { reason: string; path?: string; count: number }[] }): unknown[] =>
  leftOut.map(({ reason, path, count }) => [reason, path ?? null, count]);

describe("explain", () => {
  it("says that a run names no user, and which mount it cannot have", async () => {
    const mounts = { "/mine": { nodeId: "drafts", scope: "perThread" as const } };
    const node = new MemoryNode({ ...freshAddress(), store, scope: "perUser", mounts });
    await node.globalMemory().write("/shared", "x");
    const { leftOut, parts } = await node.createConnector().explain({ question });
    expect(parts.join("")).toContain("/shared");
    expect(leftOut.slice(0, 2)).toEqual([
      { reason: "noOwner", count: 1, message: "the run names no user: pass its userId" },
      { reason: "noOwner", path: "/mine", count: 1, message: "thread_id is required for perThread scope" },
    ]);
  });

  it("says that the memory is down where a prompt would go without it", async () => {
    const node = new MemoryNode({ ...freshAddress() });
    const { parts, shown, leftOut } = await node.createConnector().explain({ question });
    expect([parts, shown]).toEqual([[], []]);
    expect(leftOut).toEqual([{ reason: "memoryDown", count: 1, message: expect.stringContaining("ENOTMEM") }]);
  });

  it("names the lines of whole files, and the files that are too long or hidden", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    await node.memory().write("/lines", "one\ntwo\n");
    await node.memory().write("/long", "x".repeat(5000));
    const hidden = openMemory(store, node.memory().address, { paths: "posix" });
    await hidden.write("/.own/a", "The red umbrella is in the hall.");
    const explained = await node.createConnector({ content: "full" }).explain({ question });
    expect(explained.shown).toEqual([{ path: "/lines", startLine: 1, endLine: 2, score: null }]);
    expect(reasonsOf(explained)).toEqual([
      ["noLog", null, 1],
      ["room", "/long", 1],
      ["hiddenDirectory", "/.own", 1],
    ]);
  });

  it("tells passages without a word of the question from others, also beyond the passages that could fit", async () => {
    const node = new MemoryNode({ ...freshAddress(), store });
    const umbrellas = Array.from({ length: 500 }, (_, index) => `Umbrella ${index} is blue.`).join("\n");
    await node.memory().write("/umbrellas", umbrellas);
    // Far from the first file, so that none of its lines is near a hit.
    await node.memory().write("/parasols", Array.from({ length: 300 }, (_, index) => `Parasol ${index}.`).join("\n"));
    const explained = await node.createConnector({ content: "auto", maxChars: 1000 }).explain({ question });
    const shown = (path: string): number => explained.shown.filter((passage) => passage.path === path).length;
    expect(shown("/umbrellas")).toBeGreaterThan(5);
    expect(explained.shown.every(({ score }) => score !== null)).toBe(true);
    expect(reasonsOf(explained)).toEqual([
      ["noLog", null, 1],
      ["room", "/umbrellas", 500 - shown("/umbrellas")],
      ["noCommonWord", "/parasols", 300 - shown("/parasols")],
    ]);
  });

  it("counts messages that a guard refused, also if none of a run is left, and none that an earlier file has", async () => {
    const guard = ({ content }: { content: string }): void => {
      if (content.includes("secret")) throw new Error("refused");
    };
    const node = new MemoryNode({ ...freshAddress(), store, guard, log: true });
    const say = (texts: string[], day: string): Promise<number> =>
      logConversation(
        node.memory(),
        texts.map((content) => ({ role: "user", content })),
        { threadId: "t", at: new Date(`${day}T10:00:00Z`) },
      );
    await say(["a secret", "a second secret"], "2026-03-02");
    await say(["a secret", "a second secret", "Hello.", "another secret"], "2026-03-03");
    const explained = await node.createConnector().explain({ question });
    expect(reasonsOf(explained)).toEqual([
      ["refusedByGuard", "/conversations/2026-03-02/t.md", 2],
      ["refusedByGuard", "/conversations/2026-03-03/t.md", 1],
    ]);
  });

  it("refuses a question that is no text, and a run that is no object", async () => {
    const connector = new MemoryNode({ ...freshAddress(), store }).createConnector();
    await expect(connector.explain({ question: 1 as never })).rejects.toThrow("explain: question must be a text");
    await expect(connector.explain({ question, run: "ada" as never })).rejects.toThrow(
      "explain: run must be an object",
    );
  });
});

describe("renderMessage with a question", () => {
  it("names the argument that is missing for the memory of a user or a thread", async () => {
    for (const [scope, field] of [
      ["perUser", "userId"],
      ["perThread", "threadId"],
    ] as const) {
      const connector = new MemoryNode({ ...freshAddress(), store, scope }).createConnector();
      await expect(connector.renderMessage({ question })).rejects.toMatchObject({
        code: "EINVAL",
        message: expect.stringContaining(`${field} is missing: pass { question, ${field} }`),
      });
      expect(await connector.renderMessage({ question, [field]: "a" })).not.toBeNull();
    }
  });
});
