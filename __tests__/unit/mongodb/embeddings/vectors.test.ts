import { describe, expect, it } from "@jest/globals";
import { Binary } from "mongodb";
import {
  packVector,
  VectorScorer,
  vectorSizeBytes,
  vectorSubtype,
} from "../../../../src/mongodb/embeddings/vectors.js";
import fc from "../../../helpers/fast-check.js";

const number = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });

describe("packVector", () => {
  it("packs as BSON does", () => {
    fc.assert(
      fc.property(fc.array(number), (numbers) => {
        const vector = Float32Array.from(numbers);
        const packed = packVector(vector);
        expect(packed).toHaveLength(vectorSizeBytes(numbers.length));
        expect([...packed]).toEqual([...Binary.fromFloat32Array(vector).value()]);
        expect([...new Binary(packed, vectorSubtype).toFloat32Array()]).toEqual([...vector]);
      }),
    );
  });
});

describe("VectorScorer", () => {
  it("answers the cosine, wherever the bytes begin", () => {
    const pairs = fc
      .integer({ min: 1, max: 20 })
      .chain((dims) => fc.tuple(...[0, 1].map(() => fc.array(number, { minLength: dims, maxLength: dims }))));
    fc.assert(
      fc.property(pairs, fc.nat(7), ([query = [], numbers = []], offset) => {
        const packed = packVector(Float32Array.from(numbers));
        const reply = new Uint8Array(offset + packed.length);
        reply.set(packed, offset);
        const stored = [...Float32Array.from(numbers)];
        const dot = query.reduce((sum, each, index) => sum + each * (stored[index] ?? 0), 0);
        const magnitude = Math.hypot(...query) * Math.hypot(...stored);
        expect(new VectorScorer(query).score(reply.subarray(offset))).toBeCloseTo(
          magnitude === 0 ? 0 : dot / magnitude,
          9,
        );
      }),
    );
  });

  it("is zero without a direction, and nothing between vectors of different dimensions", () => {
    const packed = packVector(Float32Array.of(0, 0));
    expect(new VectorScorer([1, 1]).score(packed)).toBe(0);
    expect(new VectorScorer([0, 0]).score(packVector(Float32Array.of(1, 1)))).toBe(0);
    expect(new VectorScorer([1]).score(packed)).toBeUndefined();
    expect(new VectorScorer([1]).score(new Uint8Array())).toBeUndefined();
  });
});
