/** A message needs few values: it is a call with a few texts. Half a million keys take JSON.parse half a second. */
const maxValues = 10_000;
const maxDepth = 100;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the values of a JSON text and their depth, while the text is still arriving. */
export class JsonBounds {
  #values = 1;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #excess: string | undefined;

  /** Returns the limit that the text exceeds so far, in words. */
  get excess(): string | undefined {
    return this.#excess;
  }

  // Uses local variables, because access to a field would slow down each of a million bytes.
  add(piece: Uint8Array): void {
    let [values, depth, isInString, isEscaped] = [this.#values, this.#depth, this.#isInString, this.#isEscaped];
    for (let index = 0; index < piece.length && values <= maxValues && depth <= maxDepth; index += 1) {
      const byte = piece[index];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) isInString = true;
      else if (byte === comma) values += 1;
      else if (byte === openBracket || byte === openBrace) depth += 1;
      else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    }
    [this.#values, this.#depth, this.#isInString, this.#isEscaped] = [values, depth, isInString, isEscaped];
    if (values > maxValues) this.#excess = `more than ${maxValues} values`;
    if (depth > maxDepth) this.#excess = `more than ${maxDepth} levels`;
  }
}
