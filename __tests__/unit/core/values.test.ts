import { describe, expect, it } from "@jest/globals";
import { type CheckedAddress, addressFor, memoryScopes, getOwner } from "../../../src/core/values/address.js";
import { parseMemoryNamespace, getMemoryNamespace } from "../../../src/core/values/namespace.js";
import { getHeadId, parseHeadId } from "../../../src/mongodb/memories/documents/page-ids.js";
import { parseStoredNamespace, storedNamespace } from "../../../src/mongodb/operations/namespaces.js";
import { hostileNames } from "../../helpers/hostile-names.js";
import { repetitions } from "../../helpers/repetitions.js";
import { asHostname, isHost, isLoopback, parseHostHeader } from "../../../src/core/values/hostnames.js";
import { callLimits, JsonBounds } from "../../../src/core/values/json-bounds.js";
import { LiteralSearch } from "../../../src/core/values/literal-search.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { keyOfPath, pathOfKey } from "../../../src/mongodb/memories/documents/page-document.js";
import { MemoryError } from "../../../src/index.js";
import { normalizePath } from "../../../src/core/values/paths.js";
import { anyCharacter } from "../../helpers/any-character.js";

const legal = hostileNames.filter((name) => name.isWellFormed() && !/\p{Cc}/u.test(name));
/** Each name beside each, and the same names where a careless join would move them. */
const ids = [...new Set(legal.flatMap((name) => [name, `${name}/a`, `a.${name}`, `${name}:perUser`]))];

const triples = repetitions({ usual: 2_000, long: 100_000 });

/**
 * Triples of a node, a thread and a user, who is called as the thread is: each is three memories, the node's own among
 * them once.
 */
function* addresses(): Generator<CheckedAddress> {
  for (let index = 0; index < triples; index += 1) {
    const nodeId = ids[index % ids.length] ?? "";
    const owner = ids[Math.floor(index / ids.length)] ?? "";
    for (const scope of index < ids.length ? memoryScopes : (["perThread", "perUser"] as const))
      yield addressFor(nodeId, scope, owner);
  }
}

const isSame = (a: CheckedAddress | null, b: CheckedAddress): boolean =>
  a !== null && a.nodeId === b.nodeId && a.scope === b.scope && getOwner(a) === getOwner(b);

describe("addresses of hostile ids, equal ones in all scopes", () => {
  it("come back from their namespaces and from the ids of their documents, so that no two triples have the same", () => {
    const strangers: CheckedAddress[] = [];
    let count = 0;
    for (const address of addresses()) {
      count += 1;
      if (!isSame(parseMemoryNamespace(parseStoredNamespace(storedNamespace(getMemoryNamespace(address)))), address))
        strangers.push(address);
      if (!isSame(parseHeadId(getHeadId(address)), address)) strangers.push(address);
    }
    expect(count).toBe(2 * triples + ids.length);
    expect(ids.length ** 2).toBeGreaterThan(triples);
    expect(new Set(ids).size).toBe(ids.length);
    expect(strangers).toEqual([]);
  });

  it("have no label that LangGraph refuses, and a scope where no id can be", () => {
    for (const name of ids) {
      for (const scope of memoryScopes) {
        const namespace = getMemoryNamespace(addressFor(name, scope, name));
        expect([namespace[0], namespace[2], namespace.length]).toEqual(["memory", scope, scope === "global" ? 3 : 4]);
        expect(namespace.some((label) => label === "" || /[.:]/.test(label))).toBe(false);
      }
    }
  });
});

describe("a host", () => {
  it.each([
    ["LOCALHOST", "localhost"],
    ["127.1", "127.0.0.1"],
    ["::1", "[::1]"],
    ["0:0:0:0:0:0:0:1", "[::1]"],
    ["[2001:DB8:0::1]", "[2001:db8::1]"],
    ["::ffff:127.0.0.1", "[::ffff:7f00:1]"],
    ["Bücher.example", "xn--bcher-kva.example"],
  ])("%s is spelt as in a URL: %s", (host, hostname) => {
    expect(isHost(host)).toBe(true);
    expect(asHostname(host)).toBe(hostname);
  });

  it.each([
    "",
    "http://a",
    "a:80",
    "[::1]:80",
    "user@a",
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "a b",
    "1:2",
    "256.1.1.1",
    "a%2Fb",
  ])("is not %j", (text) => {
    expect(isHost(text)).toBe(false);
  });

  it.each([
    ["localhost", true],
    ["127.0.0.2", true],
    ["[::1]", true],
    ["0.0.0.0", false],
    ["[::]", false],
    ["127.0.0.1.example", false],
    ["[::ffff:7f00:1]", false],
  ])("%s is a loopback address: %s", (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected);
  });

  it.each([
    ["localhost", "localhost"],
    ["LocalHost:4000", "localhost"],
    ["127.0.0.1:80", "127.0.0.1"],
    ["[::1]:3000", "[::1]"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ])("is what the Host header %s names: %s", (header, host) => {
    expect(parseHostHeader(header)).toBe(host);
  });

  it.each([
    "",
    "127.1",
    "127.1:4000",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "127.0.0.01",
    "127%2e0.0.1",
    "[0:0:0:0:0:0:0:1]",
    "::1",
    "evil@127.0.0.1",
    "127.0.0.1:99999",
    "127.0.0.1/",
    "１27.0.0.1",
  ])("is not what the Host header %j names", (header) => {
    expect(parseHostHeader(header)).toBeNull();
  });
});

function excessOf(text: string, pieceBytes = text.length): string | undefined {
  const bounds = new JsonBounds(callLimits);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += pieceBytes) bounds.add(bytes.subarray(start, start + pieceBytes));
  return bounds.excess;
}

describe("the bounds of a JSON text", () => {
  it.each([
    [
      "keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, 1]))),
      "more than 10000 values",
    ],
    ["elements", `[${"0,".repeat(10_000)}0]`, "more than 10000 values"],
    ["lists in lists", "[".repeat(101), "more than 100 levels"],
    ["objects in objects", '{"a":'.repeat(101), "more than 100 levels"],
  ])("are exceeded by too many %s", (_name, text, excess) => {
    expect(excessOf(text)).toBe(excess);
    expect(excessOf(text, 7)).toBe(excess);
  });

  it.each([
    ["as many elements as may be", `[${"0,".repeat(9_999)}0]`],
    ["as many levels as may be", "[".repeat(100) + "]".repeat(100)],
    ["levels side by side", `[${"[],".repeat(9_000)}[]]`],
    ["a text of brackets and commas", JSON.stringify({ text: '[{,"\\'.repeat(20_000) })],
  ])("are kept by %s", (_name, text) => {
    expect(excessOf(text)).toBeUndefined();
    expect(excessOf(text, 7)).toBeUndefined();
  });
});

/** Longer than what the engine searches for by itself. */
const long = 400;

function overlapping(text: string, pattern: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) places.push(at);
  return places;
}

/** Texts of few letters that repeat themselves, so that nearly everything is nearly found. */
const repeated = fc
  .tuple(fc.stringMatching(/^[ab]{1,4}$/), fc.integer({ min: 1, max: 400 }), fc.constantFrom("", "b", "é", "a😀"))
  .map(([unit, times, end]) => unit.repeat(times) + end);
const patternAndText = fc
  .tuple(
    fc.array(repeated, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    fc.array(repeated, { maxLength: 3 }).map((parts) => parts.join("")),
    fc.array(repeated, { maxLength: 3 }).map((parts) => parts.join("")),
  )
  .map(([pattern, before, after]) => ({ pattern, text: before + pattern + after + pattern.slice(1) }));

describe("a literal search", () => {
  it("finds what indexOf and split find, in texts with the pattern and in others", () => {
    assertProperty(
      fc.property(patternAndText, fc.nat({ max: 3000 }), ({ pattern, text }, from) => {
        for (const sought of [pattern, `${pattern}!`]) {
          const search = new LiteralSearch(sought);
          expect(search.firstIn(text, from)).toBe(text.indexOf(sought, from));
          expect(search.placesIn(text, Infinity)).toEqual(overlapping(text, sought));
          expect(search.split(text)).toEqual(text.split(sought));
        }
      }),
      { usual: 60, long: 5000 },
    );
  });

  it("answers as many places as were asked for, overlapping ones too", () => {
    const search = new LiteralSearch("a".repeat(long));
    expect(search.placesIn("a".repeat(long + 5), 3)).toEqual([0, 1, 2]);
    expect(search.split("a".repeat(2 * long + 5))).toEqual(["", "", "aaaaa"]);
  });

  it("searches several texts, one after the other", () => {
    const search = new LiteralSearch(`${"a".repeat(long)}b${"a".repeat(long)}`);
    const found = `${"a".repeat(long + 7)}b${"a".repeat(long)}`;
    expect([found, "a".repeat(5000), found].map((text) => search.firstIn(text))).toEqual([7, -1, 7]);
  });

  // By the engine alone this takes half a minute for each.
  it.each([1000, 250_000, 500_000])(
    "comes to an end for %d characters that nearly occur everywhere in a megabyte",
    (sideChars) => {
      const side = "a".repeat(sideChars);
      const text = "a".repeat(1_000_000);
      const search = new LiteralSearch(`${side.slice(1)}b${side.slice(1)}`);
      expect(search.firstIn(text)).toBe(-1);
      expect(search.placesIn(text, 100)).toEqual([]);
      expect(search.split(text)).toEqual([text]);
    },
  );
});

const delicate = fc.constantFrom(".", "%", "$", "%2E", "%25", "%24", ":", "a", "é", "🧠", " ", "__proto__", "|");
const name = fc
  .array(fc.oneof(delicate, fc.string({ unit: anyCharacter })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""));

function legalNames<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (MemoryError.isInstance(error)) return null;
    throw error;
  }
}

it("a path is the same, or refused alike, whether or not it is given in its one spelling", () => {
  const longName = fc.integer({ min: 0, max: 257 }).map((length) => "x".repeat(length));
  const segments = fc.array(fc.oneof(name, longName, fc.constantFrom("..", ".", "notes.txt", ".hidden")), {
    minLength: 1,
    maxLength: 34,
  });
  const spelled = (path: string): unknown => legalNames(() => normalizePath(path));
  assertProperty(
    fc.property(segments, (parts) => expect(spelled(`/${parts.join("/")}`)).toBe(spelled(`//${parts.join("//")}`))),
    { usual: 200, long: 5_000 },
  );
  for (const legalPath of [
    `/${"x".repeat(255)}`,
    "/x".repeat(32),
    "/yyy".repeat(31) + `/${"x".repeat(255)}`,
    `/${"x".repeat(204)}`.repeat(4) + `/${"x".repeat(203)}`,
  ]) {
    expect([spelled(legalPath), spelled(`/${legalPath}`)]).toEqual([legalPath, legalPath]);
  }
  for (const illegal of [`/${"x".repeat(256)}`, "/x".repeat(33), `/${"x".repeat(204)}`.repeat(5)])
    expect([spelled(illegal), spelled(`/${illegal}`)]).toEqual([null, null]);
});

describe("a path as a stored key", () => {
  const path = fc
    .array(name, { maxLength: 4 })
    .map((segments) => legalNames(() => normalizePath(`/${segments.join("/")}`)))
    .filter((normalized) => normalized !== null && normalized !== "/")
    .map(String);

  it("comes back equal, so no two paths share a key", () => {
    assertProperty(
      fc.property(path, (one) => expect(pathOfKey(keyOfPath(one))).toBe(one)),
      { usual: 150, long: 2_000 },
    );
  });

  it("has a dot for each slash, no dollar where an operator would begin, and no NUL", () => {
    const plain = (one: string): void => {
      const segments = keyOfPath(one).split(".");
      expect(segments).toHaveLength(one.split("/").length - 1);
      for (const segment of segments) expect(segment).toMatch(/^[^$\0]/);
    };
    assertProperty(fc.property(path, plain), { usual: 150, long: 2_000 });
  });

  it("stays as it is for the paths of the rule plain", () => {
    expect(keyOfPath("/notes/to day_-9")).toBe("notes.to day_-9");
  });
});

describe("an address as a namespace", () => {
  it("is percent-encoded where LangGraph allows a character in no label, and nowhere else", () => {
    expect(getMemoryNamespace({ nodeId: "ann@example.com", scope: "global" })).toEqual([
      "memory",
      "ann@example%2Ecom",
      "global",
    ]);
    const thread = { nodeId: "a:b/c", scope: "perThread", threadId: "100% é" } as const;
    expect(getMemoryNamespace(thread)).toEqual(["memory", "a%3Ab/c", "perThread", "100%25 é"]);
  });

  it.each([
    [[]],
    [["memory"]],
    [["memory", "a"]],
    [["memory", "a", "global", "x"]],
    [["memory", "a%zz", "global"]],
    [["memory", "a%2e", "global"]],
    [["memory", "a", "perThread"]],
    [["other", "a", "global"]],
  ])("is none for %j", (namespace) => {
    expect(parseMemoryNamespace(namespace)).toBeNull();
  });
});
