/** Who may use what a memory makes: its owner alone, or whoever the process's umask lets. */
export type Rights = "owner" | "umask";

/** Modes of what is new. */
export interface Modes {
  file: number;
  directory: number;
}

export const modesFor: Readonly<Record<Rights, Modes>> = {
  owner: { file: 0o600, directory: 0o700 },
  umask: { file: 0o666, directory: 0o777 },
};

/** Without setuid and setgid: whoever changes a text has not decided that it may run as another user. */
export const keptModeBits = 0o1777;
