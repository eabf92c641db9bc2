/** A message is a call with a few texts. Half a million keys take JSON.parse half a second. */
const maxValues = 10_000;
const maxDepth = 100;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the values of a JSON text and how deep they lie, while the text is still coming in. */
export class JsonBounds {
  #values = 1;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #excess: string | undefined;

  /** What there is too much of so far, in words. */
  get excess(): string | undefined {
    return this.#excess;
  }

  // Over local variables, as each of a million bytes would pay for a field.
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
