/** The bounds of a server, which suit every program. Tests choose others. */
export interface ServerBounds {
  /** The most files of one page of `resources/list`. */
  readonly pageSize: number;
  /** The longest time that closing waits for running calls. Their changes may still be made. */
  readonly closeTimeoutMs: number;
  /** Longest message over stdio. */
  readonly maxMessageBytes: number;
}

export const serverBounds: ServerBounds = {
  pageSize: 500,
  closeTimeoutMs: 5000,
  maxMessageBytes: 16_000_000,
};
