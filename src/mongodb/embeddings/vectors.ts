import { endianness } from "node:os";

/** The bytes that BSON puts before a vector of float32: its type and the number of unused bits in its last byte. */
const header = Uint8Array.of(0x27, 0);

/** The binary subtype 9 of BSON for vectors. A vector takes a third of the bytes of an array of doubles. */
export const vectorSubtype = 9;

export function vectorSizeBytes(dims: number): number {
  return header.length + 4 * dims;
}

export function packVector(vector: Float32Array): Uint8Array {
  const packed = new Uint8Array(vectorSizeBytes(vector.length));
  packed.set(header);
  packed.set(inLittleEndian(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)), header.length);
  return packed;
}

/** Computes the cosine of one vector to many packed ones. */
export class VectorScorer {
  readonly #query: Float64Array;
  readonly #magnitude: number;
  /** Packed floats start at odd positions of a reply; a typed array needs a multiple of four. */
  readonly #floats: Float32Array;
  readonly #bytes: Uint8Array;

  constructor(query: readonly number[]) {
    this.#query = Float64Array.from(query);
    this.#magnitude = Math.sqrt(this.#query.reduce((sum, number) => sum + number * number, 0));
    this.#floats = new Float32Array(query.length);
    this.#bytes = new Uint8Array(this.#floats.buffer);
  }

  /** Returns zero if one of the two has no direction. Undefined for a vector of other dimensions. */
  score(packed: Uint8Array): number | undefined {
    if (packed.length !== vectorSizeBytes(this.#query.length)) return undefined;
    this.#bytes.set(inLittleEndian(packed.subarray(header.length)));
    let dot = 0;
    let square = 0;
    for (let index = 0; index < this.#floats.length; index += 1) {
      const number = this.#floats[index] ?? 0;
      dot += number * (this.#query[index] ?? 0);
      square += number * number;
    }
    const magnitude = Math.sqrt(square) * this.#magnitude;
    return magnitude === 0 ? 0 : dot / magnitude;
  }
}

const isBigEndian = endianness() === "BE";

function inLittleEndian(floats: Uint8Array): Uint8Array {
  return isBigEndian ? Buffer.from(floats).swap32() : floats;
}
