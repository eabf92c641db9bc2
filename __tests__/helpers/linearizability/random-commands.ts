import type { Command } from "./memory-commands.js";

/** The commands of a mixture, and their paths. */
export interface Workload {
  commands: readonly Command["name"][];
  /** Only a few paths, so that calls meet. */
  paths: readonly string[];
}

export type WorkloadName = keyof typeof workloads;

export const workloads = {
  /** Files that are checked separately. */
  files: {
    commands: ["read", "read", "append", "append", "write", "create", "edit", "update", "delete"],
    paths: ["/one", "/folder/two", "/folder/inner/three"],
  },
  /** Directories that are created, moved and deleted while their files change. */
  tree: {
    commands: [
      "list",
      "list",
      "snapshot",
      "read",
      "append",
      "append",
      "write",
      "create",
      "edit",
      "update",
      "delete",
      "rename",
      "rename",
    ],
    paths: ["/a", "/a/x", "/a/b", "/a/b/x", "/c", "/c/x"],
  },
} as const satisfies Record<string, Workload>;

/** Returns the same commands for the same seed. Each text is written only once, so that it identifies its writer. */
export function* randomCommands(
  { commands, paths }: Workload,
  caller: string,
  seed: number,
): Generator<Command, never> {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => {
    const value = values[random() % values.length];
    if (value === undefined) throw new RangeError("there is nothing to pick from");
    return value;
  };
  for (let number = 0; ; number += 1) {
    const [name, path, content] = [pick(commands), pick(paths), `${caller} ${number}x`];
    if (name === "snapshot") yield { name, path: "/" };
    else if (name === "list") yield { name, path: random() % 2 === 0 ? "/" : path };
    else if (name === "read" || name === "delete") yield { name, path };
    else if (name === "rename") yield { name, path, to: pick(paths) };
    else if (name === "update") yield { name, path, oldContent: "x", content: `y${number}` };
    else yield { name, path, content };
  }
}

/** Marsaglia's xorshift, which is good enough for a mixture. */
function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e37_79b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
