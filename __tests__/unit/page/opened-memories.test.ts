import { expect, it } from "@jest/globals";
import type { CheckedAddress } from "../../../src/custom-backend/index.js";
import { openMemory } from "../../../src/index.js";
import { addressFor } from "../../../src/core/values/address.js";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { OpenedMemories } from "../../../src/page/opened-memories.js";

it("a memory is opened once, and again when a hundred others were asked for since", () => {
  const store = new InMemoryStore();
  const opened: CheckedAddress[] = [];
  const memories = new OpenedMemories((address) => {
    opened.push(address);
    return openMemory(store, address);
  });
  const [own, other] = [addressFor("assistant", "perUser", "ada"), addressFor("assistant", "perThread", "ada")];
  const memory = memories.memory(own);
  expect(memories.memory(addressFor("assistant", "perUser", "ada"))).toBe(memory);
  expect(memories.memory(other)).not.toBe(memory);
  for (let index = 0; index < 98; index += 1) memories.memory(addressFor(`node-${index}`, "global", null));
  expect(memories.memory(own)).toBe(memory);
  expect(opened).toHaveLength(100);
  for (let index = 100; index < 200; index += 1) memories.memory(addressFor(`node-${index}`, "global", null));
  expect(memories.memory(own)).not.toBe(memory);
});
