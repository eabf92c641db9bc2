import { describe, expect, it } from "@jest/globals";
import { Expiry, isExpired } from "../../../../src/mongodb/items/expiry.js";

describe("Expiry", () => {
  it("takes the time of the longest prefix of whole labels", () => {
    const expiry = new Expiry({
      defaultTtlMs: 1,
      namespaces: [
        { prefix: ["a"], ttlMs: 2 },
        { prefix: ["a", "b", "c"], ttlMs: null },
        { prefix: ["a", "b"], ttlMs: 3 },
      ],
    });
    const namespaces = [
      ["x"],
      ["ab"],
      ["a"],
      ["a", "x"],
      ["a", "b"],
      ["a", "b", "cd"],
      ["a", "b", "c"],
      ["a", "b", "c", "d"],
    ];
    expect(namespaces.map((namespace) => expiry.getTtlMs(namespace))).toEqual([1, 1, 2, 2, 3, 3, null, null]);
  });

  it("is never without a time", () => {
    for (const options of [undefined, {}, { defaultTtlMs: null }])
      expect(new Expiry(options).expiresAt(["a"], new Date(5))).toBeUndefined();
    expect(new Expiry({ defaultTtlMs: 7 }).expiresAt(["a"], new Date(5))).toEqual(new Date(12));
  });

  it("is over at its moment", () => {
    expect(
      [undefined, null, new Date(4), new Date(5), new Date(6)].map((expiresAt) =>
        isExpired(expiresAt === undefined ? {} : { expiresAt }, new Date(5)),
      ),
    ).toEqual([false, false, true, true, false]);
  });
});
