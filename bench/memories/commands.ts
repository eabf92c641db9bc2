export const commandNames = [
  "append",
  "update",
  "write",
  "delete",
  "read",
  "list",
  "stat",
  "outline",
  "snapshot",
] as const;

export type CommandName = (typeof commandNames)[number];

/** One side of the comparison. */
export type Commands = Record<CommandName, (iteration: number) => Promise<unknown>>;
