/**
 * Where the versions of a history lie in an archive, newest first, so that those of a file are found without a look at
 * the others.
 */
export class VersionLines<Place> {
  readonly #all: Place[] = [];
  readonly #byFile = new Map<string, Place[]>();

  get count(): number {
    return this.#all.length;
  }

  /** @param file undefined for a change of directories alone */
  add(file: string | undefined, place: Place): void {
    this.#all.push(place);
    if (file === undefined) return;
    const places = this.#byFile.get(file);
    if (places === undefined) this.#byFile.set(file, [place]);
    else places.push(place);
  }

  all(): readonly Place[] {
    return this.#all;
  }

  /** Those of one file after the other. */
  of(files: readonly string[]): Place[] {
    return files.flatMap((file) => this.#byFile.get(file) ?? []);
  }
}
