/** What hears of the changes of a memory, because its storage tells of them. */
export interface ChangeListener {
  /**
   * The version that was heard of last, in the words of `MemoryBackend.version`. What is read may be older for a while.
   */
  readonly latest: string | null;
  /**
   * Resolves when there may be another version than that one, if it is not known already. "renew": this listener hears
   * no more, another one may; "deaf": none does. One call at a time.
   * @throws MemoryError EIO
   */
  heard(known: () => string | null): Promise<"changed" | "renew" | "deaf">;
  /** Ends the listening. `heard` need not resolve any more. */
  close(): void;
}
