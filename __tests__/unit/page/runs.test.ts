import { describe, expect, it } from "@jest/globals";
import { describeAuthor, groupByRun } from "../../../src/page/client/history/runs.js";
import type { Actor, Version } from "../../../src/page/client/data/types.js";

const createVersion = (id: string, actor: Actor | null): Version => ({
  id,
  path: "/a",
  operation: "modified",
  at: "2026-01-01T00:00:00.000Z",
  actor,
  sizeBytes: 1,
  sha256: "",
});

describe("versions by run", () => {
  it("are one group for each run, also where others changed the memory meanwhile", () => {
    const versions = [
      createVersion("5", { runId: "r" }),
      createVersion("4", { userId: "ada" }),
      createVersion("3", { userId: "ada" }),
      createVersion("2", { runId: "r" }),
      createVersion("1", null),
    ];
    expect(groupByRun(versions).map(({ runId, versions: own }) => [runId, own.map(({ id }) => id)])).toEqual([
      ["r", ["5", "2"]],
      [null, ["4", "3"]],
      [null, ["1"]],
    ]);
  });

  it("name the user, the agent and the thread", () => {
    expect(describeAuthor({ userId: "ada", agent: "assistant", node: "tools", threadId: "t", runId: "r" })).toBe(
      "ada · assistant · thread t",
    );
    expect(describeAuthor({ userId: "ada", node: "tools" })).toBe("ada");
    expect(describeAuthor({ node: "memory" })).toBe("memory");
    expect(describeAuthor(null)).toBe("a program without a name");
  });
});
