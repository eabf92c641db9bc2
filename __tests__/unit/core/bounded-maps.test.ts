import { describe, expect, it } from "@jest/globals";
import { RecentMap } from "../../../src/core/runtime/recent-map.js";
import { addressFor } from "../../../src/core/values/address.js";
import { ChangeTimes } from "../../../src/mongodb/memories/files/files-context.js";
import { KnownMoves } from "../../../src/mongodb/memories/moves/known-moves.js";

describe("what a process keeps of each memory", () => {
  it("is in a map that forgets what was set longest ago", () => {
    const map = new RecentMap<number>(3);
    for (const key of ["a", "b", "c", "a", "d"]) map.set(key, 1);
    expect([map.size, ...["a", "b", "c", "d"].map((key) => map.get(key))]).toEqual([3, 1, undefined, 1, 1]);
  });

  it("is of 10,000 memories at most, for the times of their changes", () => {
    const times = new ChangeTimes();
    for (let index = 0; index < 10_001; index += 1) times.remember(String(index), new Date(index));
    expect(times.changedAt("0")).toBeUndefined();
    expect(times.changedAt("1")).toEqual(new Date(1));
  });

  it("is of 10,000 memories at most, for the layout that they have moved to", () => {
    const moves = new KnownMoves();
    const address = (index: number) => addressFor("a", "perUser", String(index + 1));
    for (let index = 0; index < 10_001; index += 1) moves.set(address(index), true);
    expect([moves.has(address(0)), moves.has(address(1))]).toEqual([false, true]);
  });
});
