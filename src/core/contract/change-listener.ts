/** Receives the changes of a memory from a storage that reports them. */
export interface ChangeListener {
  /**
   * The version that was received last, in the form of the backend's `version`. A read may be older for a while.
   */
  readonly latest: string | null;
  /**
   * Resolves when there may be a version other than the known one. "renew": this listener receives nothing more; open a
   * new one. "deaf": the storage does not report changes; poll instead. One call at a time.
   * @throws MemoryError EIO
   */
  heard(known: () => string | null): Promise<"changed" | "renew" | "deaf">;
  /** Stops listening. `heard` need not resolve any more. */
  close(): void;
}
