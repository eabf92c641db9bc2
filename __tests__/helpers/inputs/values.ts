import fc, { type Arbitrary } from "fast-check";
import { fragment, text } from "./texts.js";

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

function cycle(): object {
  const value: Record<string, unknown> = { a: 1 };
  value["self"] = [value];
  return value;
}

class Thing {
  a = 1;
}

/** Made anew each time, as some change. */
const oddities: readonly (() => unknown)[] = [
  cycle,
  // Small to hold, and large to write out.
  () => nested(14, (inner) => ({ a: inner, b: inner })),
  () => nested(200, (inner) => ({ a: inner })),
  () => nested(20_000, (inner) => [inner]),
  () => new Thing(),
  () => new Map([["a", 1]]),
  () => new Set([1]),
  () => /a+/g,
  () => (): number => 1,
  () => Symbol("a"),
  () => new Date(Number.NaN),
  () => new Date(8.64e15),
  () => Buffer.from("bytes"),
  () => 2n ** 64n,
  () => new Proxy({}, {}),
  () => ({ toJSON: () => "other" }),
  () => ({ _bsontype: "ObjectId", id: "x" }),
  () => Object.create({ inherited: 1 }) as unknown,
  () => Promise.resolve(1),
  () => new Error("an error"),
  () => Array.from({ length: 20_000 }, () => 0),
  () => Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index])),
  () => ({ $ne: null }),
  () => ({ $gt: "" }),
  () => ({ $where: "sleep(10000)" }),
  () => ({ $in: [null, {}] }),
];

const oddity = fc.nat(oddities.length - 1).map((index) => oddities[index]?.());

/** As a model or a client may send it. */
export const json: Arbitrary<unknown> = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.object({
    key: fragment,
    values: [fragment, fc.integer(), fc.boolean(), fc.constant(null)],
    maxDepth: 3,
    maxKeys: 4,
  }),
  fc.array(fragment, { maxLength: 5 }),
  fc.constantFrom<unknown>({ $ne: null }, { $gt: "" }, { $regex: ".*" }, [[]], [{}], {}, []),
);

/** As a program may pass it on. */
export const anything: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: json },
  {
    weight: 4,
    arbitrary: fc.anything({
      key: fragment,
      maxDepth: 3,
      maxKeys: 4,
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
    }),
  },
  { weight: 2, arbitrary: oddity },
);
