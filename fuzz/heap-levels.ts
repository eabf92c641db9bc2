/** More than the places that are open while it is measured. */
const maxGrowthBytes = 40_000_000;

export interface HeapLevel {
  cases: number;
  heapBytes: number;
}

/** What stays in the heap while nothing is under way. */
export class HeapLevels {
  readonly levels: HeapLevel[] = [];

  readonly measure = async (cases: number): Promise<void> => {
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.();
      // Finalizers run between.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    this.levels.push({ cases, heapBytes: process.memoryUsage().heapUsed });
  };

  /** Null where the heap is level. */
  growthFault(): string | null {
    const [first, last] = [this.levels[0], this.levels.at(-1)];
    if (globalThis.gc === undefined || first === undefined || last === undefined)
      return "the heap was not measured: run by node --expose-gc";
    const growthBytes = last.heapBytes - first.heapBytes;
    return growthBytes > maxGrowthBytes
      ? `the heap has grown by ${growthBytes} bytes in ${last.cases - first.cases} cases`
      : null;
  }
}
