import { deepEqual, equal } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { MemoryAddress } from "../../core/values/address.js";
import { freshAddress, type MemoryCase, refuses } from "../memory-case.js";
import { untyped } from "../untyped.js";

/** Ids that a careless join, prefix or normalization would confuse. */
const confusableIds = [
  "a",
  "A",
  "a.",
  ".a",
  "a.b",
  "a:b",
  "a/b",
  "a%2Eb",
  "a%b",
  "a%25b",
  "a b",
  " a",
  "$a",
  "$where",
  "{}",
  "*",
  "global",
  "perThread",
  "perUser",
  "memory",
  "__proto__",
  "constructor",
  "ann@example.com",
  "é",
  "e\u0301",
  "ＡＢ",
  "🧠",
  "null",
  "0",
];

export const addressCases: MemoryCase[] = [
  {
    title: "no two addresses share a memory",
    run: async (open) => {
      const run = randomUUID();
      const addresses: MemoryAddress[] = confusableIds.flatMap((id) => [
        { nodeId: `${run}${id}` },
        { nodeId: `${run}${id}`, scope: "perThread", threadId: id },
        { nodeId: run, scope: "perThread", threadId: id },
        { nodeId: `${run}${id}`, scope: "perUser", userId: id },
        { nodeId: run, scope: "perUser", userId: id },
      ]);
      for (const [index, address] of addresses.entries()) await (await open(address)).write("/file", String(index));
      for (const [index, address] of addresses.entries()) {
        equal(await (await open(address)).read("/file"), String(index), JSON.stringify(address));
      }
    },
  },
  {
    title: "the memory of one thread or user is not seen from another, nor from the global one",
    run: async (open) => {
      const { nodeId } = freshAddress();
      const thread = await open({ nodeId, scope: "perThread", threadId: "one" });
      await thread.append("/secret", "x");
      const others: MemoryAddress[] = [
        { nodeId },
        { nodeId, scope: "perThread", threadId: "two" },
        { nodeId, scope: "perUser", userId: "one" },
        { nodeId, scope: "perUser", userId: "two" },
      ];
      for (const address of others) {
        const other = await open(address);
        deepEqual(await other.list("/"), []);
        await refuses(other.read("/secret"), "ENOENT");
        deepEqual(await other.delete("/"), { files: 0, dirs: 0 });
      }
      equal(await thread.read("/secret"), "x");
    },
  },
  {
    title: "an address that is not two strings and a scope is EINVAL",
    run: async (open) => {
      const refused = async (address: unknown, message?: string): Promise<void> =>
        refuses((async () => open(untyped(address)))(), "EINVAL", message);
      for (const nodeId of [
        undefined,
        null,
        "",
        5,
        {},
        { $ne: null },
        ["a"],
        "nul\0",
        "\ud800",
        "x".repeat(513),
        "a\nb",
      ]) {
        await refused({ nodeId });
      }
      const given = (id: unknown): string => {
        const shown = Array.isArray(id) ? "a list" : id === 5 ? "5" : "an object";
        return id ? `: a non-empty string (given ${shown})` : "";
      };
      for (const id of [undefined, null, "", 5, { $ne: null }, ["a"]]) {
        await refused(
          { nodeId: "n", scope: "perThread", threadId: id },
          `thread_id is required for perThread scope${given(id)}`,
        );
        await refused(
          { nodeId: "n", scope: "perUser", userId: id },
          `user_id is required for perUser scope${given(id)}`,
        );
      }
      await refused({ nodeId: "n", scope: "everything" });
      await refused({ nodeId: "n", threadId: "t" });
      await refused({ nodeId: "n", userId: "u" });
      await refused({ nodeId: "n", scope: "perUser", userId: "u", threadId: "t" });
      await refused({ nodeId: "n", $where: "1" });
      await refused(null);
      await open({ nodeId: "x".repeat(512) });
    },
  },
];
