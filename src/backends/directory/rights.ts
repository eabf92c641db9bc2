/** The people who may use the files of a memory: only the owner, or everybody whom the umask of the process allows. */
export type Rights = "owner" | "umask";

/** Modes of new files and directories. */
export interface Modes {
  file: number;
  directory: number;
}

export const modesFor: Readonly<Record<Rights, Modes>> = {
  owner: { file: 0o600, directory: 0o700 },
  umask: { file: 0o666, directory: 0o777 },
};

/**
 * The bits of a mode that a changed file keeps. Setuid and setgid are lost: a new text must not run as another user.
 */
export const keptModeBits = 0o1777;
