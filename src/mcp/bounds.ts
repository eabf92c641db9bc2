/** The bounds of a server, which suit every program. Tests choose others. */
export interface ServerBounds {
  /**
   * The interval at which the server looks for changes by other processes for subscribed clients, unless MongoDB
   * reports them.
   */
  readonly watchIntervalMs: number;
  /** The most files of one page of `resources/list`. */
  readonly pageSize: number;
  /** The most files that one connection may subscribe to. */
  readonly maxSubscriptions: number;
  /** The most streams over HTTP that listen for changes at once (revision 2026-07-28). The server refuses more. */
  readonly maxStreams: number;
  /** The longest time that closing waits for running calls. Their changes may still be made. */
  readonly closeTimeoutMs: number;
  /** Longest message over stdio. */
  readonly maxMessageBytes: number;
}

export const serverBounds: ServerBounds = {
  watchIntervalMs: 2000,
  pageSize: 500,
  maxSubscriptions: 200,
  maxStreams: 100,
  closeTimeoutMs: 5000,
  maxMessageBytes: 16_000_000,
};
