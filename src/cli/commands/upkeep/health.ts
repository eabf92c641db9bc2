export interface Check {
  name: string;
  status: "ok" | "warn" | "fail";
  message: string;
  /** Set if the person should do something. */
  advice?: string;
}

export interface Health {
  /** The connection string without its password. */
  target: string;
  checks: Check[];
  /** The number of memories that were checked. */
  memories: number;
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message });
export const warn = (name: string, message: string, advice: string): Check => ({
  name,
  status: "warn",
  message,
  advice,
});
export const fail = (name: string, message: string, advice?: string): Check => ({
  name,
  status: "fail",
  message,
  ...(advice !== undefined && { advice }),
});
