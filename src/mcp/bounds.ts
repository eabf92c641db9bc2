/** The bounds of a server, which suit every program. Tests choose others. */
export interface ServerBounds {
  /** How often the server looks for changes by other processes for subscribed clients, unless MongoDB reports them. */
  readonly watchIntervalMs: number;
  /** How many files `resources/list` lists at once. */
  readonly pageSize: number;
  /** How many files one connection may subscribe to. */
  readonly maxSubscriptions: number;
  /** How long closing waits for calls under way. Their changes may still be made. */
  readonly closeTimeoutMs: number;
  /** Longest message over stdio. */
  readonly maxMessageBytes: number;
}

export const serverBounds: ServerBounds = {
  watchIntervalMs: 2000,
  pageSize: 500,
  maxSubscriptions: 200,
  closeTimeoutMs: 5000,
  maxMessageBytes: 16_000_000,
};
