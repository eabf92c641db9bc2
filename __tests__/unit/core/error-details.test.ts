import { describe, expect, it } from "@jest/globals";
import { InMemoryStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
import { mountMemories, openMemory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { FailingStore } from "../../helpers/failing-store.js";

/** A store that reads, and fails to write. */
class LosingStore extends InMemoryStore {
  override async batch<Operations extends readonly Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    if (operations.some((operation) => "value" in operation)) throw new Error("lost");
    return super.batch(operations);
  }
}

const memory = openMemory(new InMemoryStore(), freshAddress());

describe("the details of an error", () => {
  it.each([
    ["/a/../b", "climbs"],
    ["/a/%2e%2e/b", "climbs"],
    ["/a/./b", "other"],
    ["/a\nb", "other"],
    ["/a /b", "other"],
  ])("say that %j is no path, and whether it climbs", async (path, invalidPath) => {
    await expect(memory.write(path, "x")).rejects.toMatchObject({ code: "EINVAL", details: { invalidPath } });
  });

  it("are missing where the path is right and another argument is wrong", async () => {
    await expect(memory.write("/a", 1 as never)).rejects.not.toHaveProperty("details");
  });

  it("say of a failed change, and of no failed read, that its outcome is unknown", async () => {
    const store = new FailingStore();
    store.isAway = true;
    const failing = openMemory(store, freshAddress());
    await expect(failing.read("/a")).rejects.not.toHaveProperty("details");
    await expect(openMemory(new LosingStore(), freshAddress()).write("/a", "x")).rejects.toMatchObject({
      code: "EIO",
      details: { outcomeUnknown: true },
    });
  });

  it("stay where a path is placed in a tree of mounts", async () => {
    const store = new FailingStore();
    const tree = mountMemories({ "/": memory, "/team": openMemory(store, freshAddress()) });
    await expect(tree.write("/team/a /b", "x")).rejects.toMatchObject({
      path: "/team/a /b",
      details: { invalidPath: "other" },
    });
  });
});
