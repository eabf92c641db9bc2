import { expect, it } from "@jest/globals";
import { RecentMap } from "../../../src/core/runtime/recent-map.js";

it("a map of recent entries forgets what was set longest ago", () => {
  const map = new RecentMap<number>(3);
  for (const key of ["a", "b", "c", "a", "d"]) map.set(key, 1);
  expect([map.size, ...["a", "b", "c", "d"].map((key) => map.get(key))]).toEqual([3, 1, undefined, 1, 1]);
});
