import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { BaseStoreBackend } from "../../../src/backends/base-store.js";
import { ProcessRecords } from "../../../src/core/approval/process-records.js";
import { changeOnce } from "../../../src/core/contract/change-once.js";
import type { ChangeRecord } from "../../../src/core/contract/change-record.js";
import { Call } from "../../../src/core/runtime/call.js";

const limits = { maxFileBytes: 1000, maxMemoryBytes: 1000 };
const open = (store: InMemoryStore): BaseStoreBackend => new BaseStoreBackend(store, ["memory", "a", "global"], limits);

describe("two stores with a memory of one address", () => {
  it("each make a change of one identity, and make it once", async () => {
    const stores = [new InMemoryStore(), new InMemoryStore()];
    const append = async (store: InMemoryStore): Promise<string> => {
      const call = new Call({ actor: null, timeoutMs: Infinity });
      call.changeId = "the identity of a call of a tool";
      const change = { type: "append", path: "/notes", content: "text", create: true, lineEnds: "exact" } as const;
      await changeOnce(open(store), change, {}, call);
      return open(store).read("/notes", call);
    };
    for (const store of [...stores, ...stores]) expect(await append(store)).toBe("text");
  });

  it("each keep their own changes that wait for a person", async () => {
    const [one, other] = [new InMemoryStore(), new InMemoryStore()];
    const call = new Call({ actor: null, timeoutMs: Infinity });
    const recordsOf = (store: InMemoryStore): ProcessRecords => new ProcessRecords(open(store), call);
    const record = { id: "the id of a request", status: "pending" } as ChangeRecord;
    await recordsOf(one).put(record);
    expect(await recordsOf(other).find(record.id)).toBeNull();
    expect(await recordsOf(other).swap(record.id, { status: "pending" }, { status: "approved" })).toBeNull();
    expect(await recordsOf(one).find(record.id)).toEqual(record);
  });
});
