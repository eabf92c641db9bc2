import { describe, expect, it } from "@jest/globals";
import { checkOperation } from "../../../../src/mongodb/operations/checked-operation.js";

describe("the index of a put", () => {
  const createPut = (index: unknown): unknown => ({ namespace: ["a"], key: "k", value: {}, index });

  it.each([[Array.from({ length: 1 })], [Object.assign([], { length: 1 })], [["text", null]], ["text"], [true], [{}]])(
    "is refused as %p",
    (index) => {
      expect(() => checkOperation(createPut(index))).toThrow(
        new TypeError(`put: index must be false or an array of paths (given ${getKind(index)})`),
      );
    },
  );
});

describe("a foreign field", () => {
  it.each([
    ["get", { namespace: ["a"], key: "k" }, "getItem"],
    ["put", { namespace: ["a"], key: "k", value: {} }, "putItem"],
    ["search", { namespacePrefix: ["a"] }, "search"],
    ["listing", { matchConditions: [], limit: 1 }, "listNamespaces"],
  ])("of a %s is passed over", (_name, operation, kind) => {
    expect(checkOperation({ ...operation, comment: "x" }).kind).toBe(kind);
  });

  it("that is alone, such as a misspelt one, is no operation", () => {
    expect(() => checkOperation({ namespaces: ["a"], key: "k" })).toThrow(
      new TypeError('not an operation of a store: unknown field "namespaces"'),
    );
  });
});

function getKind(index: unknown): string {
  if (typeof index !== "object") return `a ${typeof index}`;
  return Array.isArray(index) ? "a Array" : "a Object";
}
