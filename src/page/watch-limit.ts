import { PageRefusal } from "./answers.js";

/** Counts what a page watches. On a replica set each memory keeps a connection busy that the application may need. */
export class WatchLimit {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * @param memories how many more are to be watched. @returns what ends it, to be called once. @throws PageRefusal
   * where there is no room
   */
  enter(memories: number): () => void {
    if (this.#count + memories > this.#max) {
      throw new PageRefusal(
        503,
        "EBUSY",
        `the page watches at most ${this.#max} memories at once, for all who look at it`,
      );
    }
    this.#count += memories;
    return () => {
      this.#count -= memories;
    };
  }
}
