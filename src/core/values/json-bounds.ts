/** The limits of a JSON text. */
export interface JsonLimits {
  values: number;
  /** @default as many as values */
  keys?: number;
  levels: number;
}

/** Limits for a call with a few texts. Half a million keys take JSON.parse half a second. */
export const callLimits = { values: 10_000, levels: 100 } as const satisfies JsonLimits;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the values and keys of a JSON text and its depth, before the text is parsed and while it is still being
 * received.
 */
export class JsonBounds {
  readonly #limits: Required<JsonLimits>;
  #values = 1;
  #keys = 0;
  #levels = 0;
  #isInString = false;
  #isEscaped = false;
  #excess: string | undefined;

  constructor({ values, keys = values, levels }: JsonLimits) {
    this.#limits = { values, keys, levels };
  }

  /** Describes the limit that the text has exceeded so far. */
  get excess(): string | undefined {
    return this.#excess;
  }

  // Uses local variables, because access to a field would slow down each of a million bytes.
  add(piece: Uint8Array): void {
    const { values: maxValues, keys: maxKeys, levels: maxLevels } = this.#limits;
    let [values, keys, levels] = [this.#values, this.#keys, this.#levels];
    let [isInString, isEscaped] = [this.#isInString, this.#isEscaped];
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) isInString = true;
      else if (byte === comma) values += 1;
      else if (byte === colon) keys += 1;
      else if (byte === openBracket || byte === openBrace) levels += 1;
      else if (byte === closeBracket || byte === closeBrace) levels -= 1;
      if (values > maxValues || keys > maxKeys || levels > maxLevels) break;
    }
    [this.#values, this.#keys, this.#levels] = [values, keys, levels];
    [this.#isInString, this.#isEscaped] = [isInString, isEscaped];
    if (values > maxValues) this.#excess = `more than ${maxValues} values`;
    if (keys > maxKeys) this.#excess = `more than ${maxKeys} keys`;
    if (levels > maxLevels) this.#excess = `more than ${maxLevels} levels`;
  }
}
