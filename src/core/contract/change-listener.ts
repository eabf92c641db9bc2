/** Receives the changes of a memory from a storage that reports them. */
export interface ChangeListener {
  /**
   * Resolves when the memory may have changed. "deaf": the storage does not report changes; poll instead. One call at a
   * time.
   * @throws MemoryError EIO
   */
  heard(): Promise<"changed" | "deaf">;
  /** Stops listening. `heard` need not resolve any more. */
  close(): void;
}
