import { describe, expect, it } from "@jest/globals";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import type { Operation } from "../../helpers/linearizability/checker.js";
import { type Command, memorySpecification } from "../../helpers/linearizability/memory-commands.js";
import { checkMemoryHistory, faultOf, partsOf } from "../../helpers/linearizability/memory-history.js";
import { randomCommands, workloads } from "../../helpers/linearizability/random-commands.js";

type Call = Operation<Command>;

/** A call from one time to another, and the answer; none where its outcome is unknown. */
function call(calledAt: number, answeredAt: number | null, command: Command, answer?: unknown): Call {
  const outcome = typeof answer === "string" && /^E[A-Z]+$/.test(answer) ? { code: answer } : { value: answer ?? null };
  return {
    caller: "somebody",
    calledAt: BigInt(calledAt),
    answeredAt: answeredAt === null ? null : BigInt(answeredAt),
    command,
    answer: JSON.stringify(outcome),
  };
}

const append = (content: string, path = "/file"): Command => ({ name: "append", path, content });
const write = (content: string, path = "/file"): Command => ({ name: "write", path, content });
const read = (path = "/file"): Command => ({ name: "read", path });
const rename = (path: string, to: string): Command => ({ name: "rename", path, to });
const list: Command = { name: "list", path: "/" };
const snapshot: Command = { name: "snapshot", path: "/" };
const remove = (path: string): Command => ({ name: "delete", path });
const files = (...names: string[]) => names.map((name) => ({ name, kind: "file" }));

const bad: [string, Call[]][] = [
  ["a lost update", [call(0, 10, append("a")), call(1, 9, append("b")), call(20, 21, read(), "a")]],
  ["a stale read", [call(0, 1, write("old"), 3), call(2, 3, write("new"), 3), call(4, 5, read(), "old")]],
  ["a read of what nobody wrote", [call(0, 1, write("a"), 1), call(2, 3, read(), "b")]],
  [
    "a write that is seen and then gone",
    [call(0, 1, write("old"), 3), call(2, null, write("new")), call(3, 4, read(), "new"), call(5, 6, read(), "old")],
  ],
  ["an append of unknown outcome that landed twice", [call(0, null, append("a")), call(2, 3, read(), "a\na")]],
  [
    "two readers who see two writes in opposite orders",
    [
      call(0, 100, write("a"), 1),
      call(0, 100, write("b"), 1),
      call(1, 2, read(), "a"),
      call(3, 4, read(), "b"),
      call(5, 6, read(), "a"),
    ],
  ],
  [
    "a rename of which both names are seen",
    [call(0, 1, append("x", "/a")), call(2, 10, rename("/a", "/b")), call(3, 4, list, files("a", "b"))],
  ],
  [
    "a rename of a directory of which half is seen",
    [
      call(0, 1, append("x", "/a/one")),
      call(2, 3, append("y", "/a/two")),
      call(4, 20, rename("/a", "/b")),
      call(5, 6, snapshot, [
        [
          ["/a/one", "x"],
          ["/b/two", "y"],
        ],
        ["/a", "/b"],
      ]),
    ],
  ],
  [
    "two creations that both won",
    [
      call(0, 10, { name: "create", path: "/file", content: "a" }, 1),
      call(1, 9, { name: "create", path: "/file", content: "b" }, 1),
    ],
  ],
  [
    "an append into a directory that a delete took with it, and that is there alone",
    [
      call(0, 1, append("x", "/a/x")),
      call(2, 10, remove("/a"), { files: 1, dirs: 1 }),
      call(3, 9, append("y", "/a/y")),
      call(11, 12, snapshot, [[["/a/y", "y"]], []]),
    ],
  ],
];

const good: [string, Call[]][] = [
  [
    "concurrent appends in either order",
    [call(0, 10, append("a")), call(1, 9, append("b")), call(20, 21, read(), "b\na")],
  ],
  [
    "a read beside a write that sees the old text",
    [call(0, 1, write("old"), 3), call(2, 9, write("new"), 3), call(3, 4, read(), "old"), call(5, 6, read(), "new")],
  ],
  ["calls that meet at one moment", [call(0, 5, write("a"), 1), call(5, 6, read(), "ENOENT")]],
  ["a change of unknown outcome that never happened", [call(0, null, append("a")), call(2, 3, read(), "ENOENT")]],
  [
    "a change of unknown outcome that happened much later",
    [
      call(0, null, append("late")),
      call(2, 3, append("a")),
      call(4, 5, read(), "a"),
      call(6, 7, append("b")),
      call(8, 9, read(), "a\nlate\nb"),
    ],
  ],
  [
    "a directory that is deleted before an append into it",
    [
      call(0, 1, append("x", "/a/x")),
      call(2, 10, remove("/a"), { files: 1, dirs: 1 }),
      call(3, 9, append("y", "/a/y")),
      call(11, 12, snapshot, [[["/a/y", "y"]], ["/a"]]),
    ],
  ],
];

describe("the checker of histories", () => {
  it.each(bad)("refuses %s", (_, history) => {
    expect(checkMemoryHistory(history).isLinearizable).toBe(false);
    expect(checkMemoryHistory(history.toReversed()).isLinearizable).toBe(false);
  });

  it.each(good)("takes %s", (_, history) => {
    expect(faultOf(history)).toBeUndefined();
    expect(faultOf(history.toReversed())).toBeUndefined();
  });

  it("checks by themselves what cannot meet, and together what can", () => {
    const history = [
      call(0, 1, append("a", "/a/x")),
      call(0, 1, append("b", "/b")),
      call(0, 1, append("c", "/ab/x")),
      call(0, 1, append("d", "/c")),
    ];
    const getSizes = (calls: Parameters<typeof partsOf>[0]): number[] =>
      partsOf(calls)
        .map(({ length }) => length)
        .toSorted((one, other) => one - other);
    expect(getSizes(history)).toEqual([1, 1, 1, 1]);
    expect(getSizes([...history, call(0, 1, remove("/a"))])).toEqual([1, 1, 1, 2]);
    expect(getSizes([...history, call(0, 1, rename("/a/x", "/b/y"))])).toEqual([1, 1, 3]);
    expect(partsOf([...history, call(0, 1, list)])).toHaveLength(1);
  });

  it.each(["files", "tree"] as const)(
    "takes any history of %s in which each call takes place at one moment of it",
    (name) => {
      assertProperty(
        fc.property(fc.integer(), (seed) => expect(faultOf(madeUp(seed, name, 40))).toBeUndefined()),
        { usual: 2, long: 1000 },
      );
    },
  );

  it("agrees with one that tries every order of every choice", () => {
    let refused = 0;
    const property = fc.property(fc.integer(), fc.nat(), (seed, place) => {
      const history = madeUp(seed, "tree", 6);
      const [one, other] = [history[place % 6], history[(place >> 4) % 6]];
      // An answer in the wrong place, which may still have an order.
      const spoiled = history.map((each) => (each === one ? { ...each, answer: other?.answer ?? "" } : each));
      const isLinearizable = hasOrder(spoiled);
      if (!isLinearizable) refused += 1;
      expect(checkMemoryHistory(spoiled).isLinearizable).toBe(isLinearizable);
    });
    assertProperty(property, { usual: 120, long: 20_000 });
    expect(refused).toBeGreaterThan(20);
  });
});

/**
 * What callers of a memory without a fault see: each call takes place at a moment between its beginning and its answer.
 * Some learn no outcome.
 */
function madeUp(seed: number, name: keyof typeof workloads, length: number): Call[] {
  const commands = randomCommands(workloads[name], "x", seed);
  const random = randomCommands(
    { commands: ["read"], paths: Array.from({ length: 100 }, (_, number) => String(number)) },
    "x",
    seed + 1,
  );
  const below = (limit: number): number => Number(random.next().value.path) % limit;
  let state = memorySpecification.initial;
  return Array.from({ length }, (_, number) => {
    const command = commands.next().value;
    const moment = 10 * number;
    const isUnknown = below(10) === 0;
    if (isUnknown && below(2) === 0)
      return { caller: "x", calledAt: BigInt(moment), answeredAt: null, command, answer: "" };
    const { state: next, answer } = memorySpecification.step(state, command);
    state = next;
    return {
      caller: "x",
      calledAt: BigInt(moment - below(40)),
      answeredAt: isUnknown ? null : BigInt(moment + 1 + below(40)),
      command,
      answer,
    };
  });
}

function hasOrder(calls: readonly Call[], state = memorySpecification.initial): boolean {
  if (calls.every(({ answeredAt }) => answeredAt === null)) return true;
  return calls.some((each) => {
    const rest = calls.filter((other) => other !== each);
    if (rest.some((other) => other.answeredAt !== null && other.answeredAt < each.calledAt)) return false;
    const { state: next, answer } = memorySpecification.step(state, each.command);
    return (each.answeredAt === null || answer === each.answer) && hasOrder(rest, next);
  });
}
