/** The exit codes of the program. They never change. */
export const exitCodes = { done: 0, refused: 1, usage: 2, storage: 3, bug: 70 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [exitCodes.done, "done, also if the reader of a pipe ended"],
  [exitCodes.refused, "refused, not found, nothing matched, or doctor found a fault"],
  [exitCodes.usage, "a wrong command, option, argument or input"],
  [exitCodes.storage, "the storage failed or could not be reached"],
  [exitCodes.bug, "a fault of this program"],
];
