import type { ModelMemory } from "./model-memory.js";

type Counts = ReturnType<ModelMemory["delete"]>;

/** The trivial tree of mounts: every path belongs to one trivial memory, and mount points are directories. */
export class ModelTree {
  readonly #memories: ReadonlyMap<string, ModelMemory>;
  /** Mount points and the directories above them. */
  readonly #fixed = new Set<string>();
  readonly #points: readonly string[];

  constructor(memories: ReadonlyMap<string, ModelMemory>) {
    this.#memories = memories;
    this.#points = [...memories.keys()].filter((point) => point !== "/");
    for (const point of this.#points) {
      const segments = point.slice(1).split("/");
      for (const index of segments.keys()) this.#fixed.add(`/${segments.slice(0, index + 1).join("/")}`);
    }
  }

  read(path: string): string {
    return this.#file(path, (memory, inner) => memory.read(inner));
  }

  append(path: string, content: string): void {
    return this.#file(path, (memory, inner) => memory.append(inner, content));
  }

  update(path: string, oldContent: string, content: string): number {
    if (oldContent === "") throw code("EINVAL");
    return this.#file(path, (memory, inner) => memory.update(inner, oldContent, content));
  }

  write(path: string, content: string, ifExists: "replace" | "fail", ifMissing: "create" | "fail"): number {
    return this.#file(path, (memory, inner) => memory.write(inner, content, ifExists, ifMissing));
  }

  delete(path: string, ifDirectory: "delete" | "fail" = "delete"): Counts {
    if (ifDirectory === "fail" && this.#fixed.has(path)) throw code("EISDIR");
    if (this.#points.includes(path)) throw code("EACCES");
    const { memory, inner } = this.#place(path);
    return memory.delete(inner, ifDirectory);
  }

  list(path: string): { name: string; kind: string }[] {
    const { memory, inner } = this.#place(path);
    const isFixed = path === "/" || this.#fixed.has(path);
    const fixed = [...this.#fixed]
      .filter((other) => other.slice(0, other.lastIndexOf("/")) === (path === "/" ? "" : path))
      .map((other) => other.slice(other.lastIndexOf("/") + 1));
    const isOwn = inner === "/" || memory.directories.has(inner);
    const own = isFixed && !isOwn ? [] : memory.list(inner).filter(({ name }) => !fixed.includes(name));
    return [...own, ...fixed.map((name) => ({ name, kind: "dir" }))].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  stat(path: string): { kind: string; sizeBytes: number } | null {
    const { memory, inner } = this.#place(path);
    const stat = memory.stat(inner);
    return this.#fixed.has(path) && stat?.kind !== "dir" ? { kind: "dir", sizeBytes: 0 } : stat;
  }

  rename(from: string, to: string): void {
    if (this.#fixed.has(from) || this.#fixed.has(to)) throw code("EACCES");
    const [source, destination] = [this.#place(from), this.#place(to)];
    if (source.memory !== destination.memory) throw code("EXDEV");
    source.memory.rename(source.inner, destination.inner);
  }

  get files(): Map<string, string> {
    const seen = [...this.#memories].flatMap(([point, memory]) =>
      [...memory.files].map(([inner, text]) => [join(point, inner), text, memory] as const),
    );
    return new Map(
      seen
        .filter(([path, , memory]) => !this.#fixed.has(path) && this.#place(path).memory === memory)
        .map(([path, text]) => [path, text]),
    );
  }

  get directories(): Set<string> {
    const seen = [...this.#memories].flatMap(([point, memory]) =>
      [...memory.directories].map((inner) => [join(point, inner), memory] as const),
    );
    return new Set([
      ...seen.filter(([path, memory]) => this.#place(path).memory === memory).map(([path]) => path),
      ...this.#fixed,
    ]);
  }

  #file<T>(path: string, command: (memory: ModelMemory, inner: string) => T): T {
    const { memory, inner } = this.#place(path);
    const isDirectory = path === "/" || this.#fixed.has(path);
    if (isDirectory) throw code("EISDIR");
    return command(memory, inner);
  }

  #place(path: string): { memory: ModelMemory; inner: string } {
    const point = this.#points
      .filter((each) => path === each || path.startsWith(`${each}/`))
      .toSorted((a, b) => b.length - a.length)[0];
    const memory = this.#memories.get(point ?? "/");
    if (memory === undefined) throw new Error("a tree has a memory at /");
    return { memory, inner: point === undefined ? path : path.slice(point.length) || "/" };
  }
}

const join = (point: string, inner: string): string => (point === "/" ? inner : point + inner);
const code = (name: string): Error & { code: string } => Object.assign(new Error(name), { code: name });
