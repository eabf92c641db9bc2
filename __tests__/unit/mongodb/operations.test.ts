import { describe, expect, it } from "@jest/globals";
import { MongoClient, BSON } from "mongodb";
import { validateNamespace } from "@langchain/langgraph-checkpoint";
import { MongoMemoryStore } from "../../../src/index.js";
import { useClient } from "../../helpers/use-client.js";
import { compareCodeUnits } from "../../../src/core/values/text.js";
import {
  compareNamespaces,
  parseStoredNamespace,
  namespacesWithin,
  sortKey,
  idsWithin,
  storedNamespace,
  createItemId,
} from "../../../src/mongodb/operations/namespaces.js";
import { checkNamespace } from "../../../src/mongodb/operations/check-namespace.js";
import { anyCharacter } from "../../helpers/any-character.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { decodeValue, encodeValue } from "../../../src/mongodb/operations/values.js";

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

/** Characters on both sides of every edge of the encoding, and some between. */
const character = fc.oneof(
  fc.constantFrom("\u0001", "0", "a", "b", "\uD7FF", "\uE000", "\uFFFF", "\u{10000}", "\u{10FFFE}", "\u{10FFFF}"),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }).filter((one) => one !== "\0"),
);
const label = fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join(""));
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.array(fc.oneof(character, fc.constant("\0")), { maxLength: 4 }).map((characters) => characters.join(""));
const place = fc.tuple(namespace, key);

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("stored places", () => {
  it("sort by bytes as namespaces label by label, then keys, sort by code units", () => {
    assertProperty(
      fc.property(place, place, ([namespaceA, keyA], [namespaceB, keyB]) => {
        const expected = compareLabels(namespaceA, namespaceB) || compareCodeUnits(keyA, keyB);
        expect(compareBytes(createItemId(namespaceA, keyA), createItemId(namespaceB, keyB))).toBe(expected);
        expect(compareCodeUnits(sortKey(namespaceA, keyA), sortKey(namespaceB, keyB))).toBe(expected);
        expect(compareBytes(storedNamespace(namespaceA), storedNamespace(namespaceB))).toBe(
          compareLabels(namespaceA, namespaceB),
        );
        expect(compareNamespaces(namespaceA, namespaceB)).toBe(compareLabels(namespaceA, namespaceB));
      }),
      { usual: 100, long: 1_000 },
    );
  });

  it("give the namespace back", () => {
    assertProperty(
      fc.property(namespace, (labels) => expect(parseStoredNamespace(storedNamespace(labels))).toEqual(labels)),
      { usual: 60, long: 500 },
    );
  });

  it("lie in the range of a prefix exactly where the namespace begins with its labels", () => {
    assertProperty(
      fc.property(namespace, place, fc.nat(3), (other, [labels, itemKey], length) => {
        for (const prefix of [other, labels.slice(0, length), [...labels, "a"]]) {
          const begins = prefix.every((one, index) => one === labels[index]);
          expect(isWithin(createItemId(labels, itemKey), idsWithin(prefix))).toBe(begins);
          expect(isWithin(storedNamespace(labels), namespacesWithin(prefix))).toBe(begins);
        }
      }),
      { usual: 60, long: 500 },
    );
  });

  it("leave ordinary text as it is", () => {
    expect(createItemId(["users", "ä 1"], "\u{1F600}")).toBe("users\0ä 1\0\0\u{1F600}");
  });
});

describe("checkNamespace", () => {
  it.each<[unknown, RegExp]>([
    [[], /cannot be empty/],
    [undefined, /array of strings/],
    ["abc", /array of strings/],
    [[{ $ne: null }], /must be strings/],
    [[Symbol("s")], /must be strings/],
    [Array.from({ length: 1 }), /must be strings/],
    [["\uD800"], /well-formed/],
    [["a.b"], /periods/],
    [["a:b"], /colons/],
    [["a\0b"], /NUL/],
    [["a", ""], /empty/],
  ])("refuses %p", (given, message) => {
    expect(() => checkNamespace(given)).toThrow(
      expect.objectContaining({ name: "InvalidNamespaceError", message: expect.stringMatching(message) }),
    );
  });

  it("repeats no more of a namespace than a message can hold", () => {
    const given = [`${"a".repeat(1_000_000)}.`];
    expect(() => checkNamespace(given)).toThrow(
      expect.objectContaining({
        name: "InvalidNamespaceError",
        message: expect.stringMatching(/^Invalid namespace label 'a{100}.{0,1000}$/),
      }),
    );
  });

  it.each([[[]], [["a.b", "c"]], [["a:b"]], [["a\0b"]], [["a", ""]], [["a.b:c"]]])(
    "refuses %j in the words of the reference",
    (given) => {
      const refusal = (check: () => unknown): unknown => {
        try {
          return check();
        } catch (error) {
          return [(error as Error).name, (error as Error).message];
        }
      };
      expect(refusal(() => checkNamespace(given))).toEqual(refusal(() => validateNamespace(given)));
    },
  );

  it("takes the empty one only as a prefix", () => {
    expect(checkNamespace([], { allowEmpty: true })).toEqual([]);
  });
});

function compareLabels(a: string[], b: string[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (one !== other) return compareCodeUnits(one, other);
  }
  return a.length < b.length ? -1 : 0;
}

function isWithin(text: string, { $gte = "", $lt }: { $gte?: string; $lt?: string }): boolean {
  return compareBytes(text, $gte) >= 0 && ($lt === undefined || compareBytes(text, $lt) < 0);
}

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -0, Number.NaN, 2 ** 40, 5n, -(2n ** 63n), new Date(5)),
  fc.string({ unit: "grapheme" }),
  fc.double(),
  fc.integer(),
  fc.uint8Array({ maxLength: 5 }),
);
const name = fc
  .oneof(
    fc.constantFrom("$ref", "$id", "$db", "$plain", "__proto__", "constructor", "toString", "", "a.b", "$x"),
    fc.string({ maxLength: 3 }),
  )
  .filter((one) => !one.includes("\0"));
const { value } = fc.letrec<{ value: Record<string, unknown>; field: unknown }>((tie) => ({
  value: fc.array(fc.tuple(name, tie("field")), { maxLength: 5 }).map((fields) => Object.fromEntries(fields)),
  field: fc.oneof({ maxDepth: 3 }, leaf, tie("value"), fc.array(tie("field"), { maxLength: 3 })),
}));

describe("a value on its way through BSON", () => {
  it("comes back equal, whatever its fields are called", () => {
    assertProperty(
      fc.property(value, (given) => {
        const bytes = BSON.serialize(encodeValue(given, 0).value);
        const read = BSON.deserialize(bytes, {
          promoteBuffers: true,
          useBigInt64: true,
          fieldsAsRaw: Object.create(null),
        });
        expect(fc.stringify(decodeValue(read))).toBe(fc.stringify(given));
      }),
      { usual: 150, long: 2_000 },
    );
  });

  it("is as large as it was counted", () => {
    const limit = 16 * 1024 * 1024 - 1024;
    assertProperty(
      fc.property(value, (given) => {
        const bytes = BSON.calculateObjectSize(encodeValue(given, 0).value);
        expect(() => encodeValue(given, limit - bytes)).not.toThrow();
        expect(() => encodeValue(given, limit - bytes + 1)).toThrow(/EFBIG/);
      }),
      { usual: 60, long: 500 },
    );
  });

  it("is refused before all of it is written out, where an object is in 2 to the 60th places", () => {
    const shared = Array.from({ length: 60 }).reduce<object>((inner) => ({ a: inner, b: inner }), {});
    expect(() => encodeValue(shared, 16_000_000)).toThrow(/EFBIG: the item would be too large/);
  });

  it("names the place of what cannot be stored", () => {
    expect(() => encodeValue({ a: [{ b: new Map() }] }, 0)).toThrow(
      new TypeError(
        "an item's value contains a Map at value.a[0].b; only JSON-like data, Date, Uint8Array and bigint can be stored",
      ),
    );
  });
});

const unreachable = new MongoClient("mongodb://127.0.0.1:9");

describe("the names of a store", () => {
  it.each([
    [{ dbName: "a.b" }, 'dbName: must have 1 to 63 bytes, without spaces, dots, slashes, quotes and $ (given "a.b")'],
    [{ dbName: "" }, "dbName: must have 1 to 63 bytes"],
    [{ dbName: "ä".repeat(32) }, "dbName: must have 1 to 63 bytes"],
    [{ dbName: "a\0b" }, "dbName: must have 1 to 63 bytes"],
    [{ memoriesCollection: "a$b" }, "memoriesCollection: must have 1 to 255 bytes"],
    [{ memoriesCollection: "a..b" }, "memoriesCollection: must have 1 to 255 bytes"],
    [{ itemsCollection: "system.items" }, "itemsCollection: must have 1 to 255 bytes"],
  ])("%j are refused", (names, message) => {
    expect(() => new MongoMemoryStore({ client: unreachable, ...names })).toThrow(TypeError);
    expect(() => new MongoMemoryStore({ client: unreachable, ...names })).toThrow(message);
  });

  it.each([{ dbName: "a:b-c_d", memoriesCollection: "a.b", itemsCollection: "systems.x" }])("%j are taken", (names) => {
    expect(new MongoMemoryStore({ client: unreachable, ...names })).toBeInstanceOf(MongoMemoryStore);
  });

  it("in a connection string are refused without repeating it", async () => {
    const uri = "mongodb://user:secret@127.0.0.1:9/a.b";
    const refused = {
      name: "TypeError",
      message:
        "the name of the database in the MongoDB connection string must have 1 to 63 bytes, without spaces, dots, slashes, quotes and $; correct it",
    };
    await expect((async () => new MongoMemoryStore({ client: new MongoClient(uri) }))()).rejects.toMatchObject(refused);
    await expect(MongoMemoryStore.fromConnString(uri)).rejects.toMatchObject(refused);
  });
});

describe("a store", () => {
  it("shows no member that is not for its users", () => {
    const members = Object.getOwnPropertyNames(MongoMemoryStore.prototype).toSorted();
    expect(members).toEqual([
      "batch",
      "constructor",
      "delete",
      "forget",
      "get",
      "listMemories",
      "listNamespaces",
      "listProposals",
      "memory",
      "put",
      "search",
      "start",
      "stop",
      "sweepExpired",
    ]);
  });
});
