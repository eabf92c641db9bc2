import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../../src/index.js";
import { useClient } from "../../../helpers/use-client.js";

/** No server listens there, so an operation that the store takes is EIO. */
const client = useClient(new MongoClient("mongodb://127.0.0.1:1", { serverSelectionTimeoutMS: 20 }));
const store = new MongoMemoryStore({ client });
const run = (operation: object): Promise<unknown> => store.batch([operation as never]);

describe("the index of a put", () => {
  const put = (index: unknown): Promise<unknown> => run({ namespace: ["a"], key: "k", value: {}, index });

  it.each([[Array.from({ length: 1 })], [Object.assign([], { length: 1 })], [["text", null]], ["text"], [true], [{}]])(
    "is refused as %p",
    async (index) => {
      await expect(put(index)).rejects.toThrow(
        new TypeError(`put: index must be false or an array of paths (given ${getKind(index)})`),
      );
    },
  );
});

describe("a foreign field", () => {
  it.each([
    ["get", { namespace: ["a"], key: "k" }],
    ["put", { namespace: ["a"], key: "k", value: {} }],
    ["search", { namespacePrefix: ["a"] }],
    ["listing", { matchConditions: [], limit: 1 }],
  ])("of a %s is passed over", async (_name, operation) => {
    await expect(run({ ...operation, comment: "x" })).rejects.toMatchObject({ code: "EIO" });
  });

  it("that is alone, such as a misspelt one, is no operation", async () => {
    await expect(run({ namespaces: ["a"], key: "k" })).rejects.toThrow(
      new TypeError('not an operation of a store: unknown field "namespaces"'),
    );
  });
});

describe("a condition of a filter", () => {
  const search = (condition: unknown): Promise<unknown> => run({ namespacePrefix: ["a"], filter: { x: condition } });

  it.each([
    ["an array", []],
    ["an object", {}],
    ["bytes", new Uint8Array()],
  ])("that is empty is refused as %s", async (_name, value) => {
    const message: unknown = expect.stringContaining(
      'an empty array or object is not a condition in the filter on "x"',
    );
    await expect(search(value)).rejects.toMatchObject({ code: "EINVAL", message });
  });

  it.each(["$eq", "$gt", "$in", "none"])("with an invalid date is refused under the operator %s", async (operator) => {
    const date = new Date(Number.NaN);
    const conditions: Record<string, unknown> = { none: date, $in: { $in: [date] } };
    const message: unknown = expect.stringContaining('a date must be valid in the filter on "x"');
    const call = search(conditions[operator] ?? { [operator]: date });
    await expect(call).rejects.toMatchObject({ code: "EINVAL", message });
  });
});

function getKind(index: unknown): string {
  if (typeof index !== "object") return `a ${typeof index}`;
  return Array.isArray(index) ? "a Array" : "a Object";
}
