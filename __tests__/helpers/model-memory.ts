/** The memory with which every backend is compared: two collections in JavaScript, without any code of the package. */
export class ModelMemory {
  readonly files = new Map<string, string>();
  readonly directories = new Set<string>();

  constructor(files: Iterable<readonly [path: string, text: string]> = [], directories: Iterable<string> = []) {
    this.reset(files, directories);
  }

  /** Replaces the whole tree. */
  reset(files: Iterable<readonly [path: string, text: string]>, directories: Iterable<string>): void {
    const [newFiles, newDirectories] = [[...files], [...directories]];
    this.files.clear();
    this.directories.clear();
    for (const [path, text] of newFiles) this.files.set(path, text);
    for (const path of newDirectories) this.directories.add(path);
  }

  read(path: string): string {
    const text = this.files.get(path);
    if (text === undefined) throw code(this.#isDirectory(path) ? "EISDIR" : "ENOENT");
    return text;
  }

  list(path: string): { name: string; kind: string }[] {
    if (this.files.has(path)) throw code("ENOTDIR");
    if (!this.#isDirectory(path)) throw code("ENOENT");
    const children = (paths: Iterable<string>, kind: string): { name: string; kind: string }[] =>
      [...paths]
        .filter((other) => parent(other) === path)
        .map((child) => ({ name: child.slice(child.lastIndexOf("/") + 1), kind }));
    return [...children(this.directories, "dir"), ...children(this.files.keys(), "file")].toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  }

  append(path: string, content: string): void {
    const text = this.files.get(path);
    if (text === undefined) this.#create(path, content);
    else if (text === "" || content === "" || text.endsWith("\n") || content.startsWith("\n"))
      this.files.set(path, text + content);
    else this.files.set(path, `${text}\n${content}`);
  }

  update(path: string, oldContent: string, content: string): number {
    if (oldContent === "") throw code("EINVAL");
    const parts = this.read(path).split(oldContent);
    this.files.set(path, parts.join(content));
    return parts.length - 1;
  }

  delete(path: string, ifDirectory: "delete" | "fail" = "delete"): { files: number; dirs: number } {
    if (ifDirectory === "fail" && this.#isDirectory(path)) throw code("EISDIR");
    const counts = { files: 0, dirs: 0 };
    for (const file of this.files.keys()) if (isWithin(file, path) && this.files.delete(file)) counts.files += 1;
    for (const directory of this.directories)
      if (isWithin(directory, path) && this.directories.delete(directory)) counts.dirs += 1;
    return counts;
  }

  write(path: string, content: string, ifExists: "replace" | "fail", ifMissing: "create" | "fail"): number {
    if (!this.files.has(path)) {
      if (this.#isDirectory(path)) throw code("EISDIR");
      if (ifMissing === "fail") throw code("ENOENT");
      this.#create(path, content);
    } else if (ifExists === "fail") {
      throw code("EEXIST");
    }
    this.files.set(path, content);
    return Buffer.byteLength(content);
  }

  rename(from: string, to: string): void {
    if (from === "/" || to === "/") throw code("EINVAL");
    if (to.startsWith(`${from}/`)) throw code("EINVAL");
    if (!this.files.has(from) && !this.directories.has(from)) throw code("ENOENT");
    if (this.files.has(to) || this.directories.has(to)) throw code("EEXIST");
    this.#makeParents(to);
    const files = Array.from(this.files).filter(([path]) => isWithin(path, from));
    const directories = Array.from(this.directories).filter((path) => isWithin(path, from));
    this.delete(from);
    for (const [path, text] of files) this.files.set(to + path.slice(from.length), text);
    for (const path of directories) this.directories.add(to + path.slice(from.length));
  }

  stat(path: string): { kind: string; sizeBytes: number } | null {
    const bytes = (paths: string[]): number => paths.reduce((sum, file) => sum + Buffer.byteLength(this.read(file)), 0);
    if (this.files.has(path)) return { kind: "file", sizeBytes: bytes([path]) };
    if (!this.#isDirectory(path)) return null;
    return { kind: "dir", sizeBytes: bytes([...this.files.keys()].filter((file) => isWithin(file, path))) };
  }

  #create(path: string, content: string): void {
    if (this.#isDirectory(path)) throw code("EISDIR");
    this.#makeParents(path);
    this.files.set(path, content);
  }

  #makeParents(path: string): void {
    const parents: string[] = [];
    for (let current = parent(path); current !== "/"; current = parent(current)) parents.push(current);
    if (parents.some((directory) => this.files.has(directory))) throw code("ENOTDIR");
    for (const directory of parents) this.directories.add(directory);
  }

  #isDirectory(path: string): boolean {
    return path === "/" || this.directories.has(path);
  }
}

const parent = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";
const isWithin = (path: string, directory: string): boolean =>
  directory === "/" || path === directory || path.startsWith(`${directory}/`);
const code = (name: string): Error & { code: string } => Object.assign(new Error(name), { code: name });
