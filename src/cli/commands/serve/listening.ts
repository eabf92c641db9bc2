import type { Option } from "commander";
import { numberOption } from "../../command.js";
import { isSystemError, usageError } from "../../errors.js";

export function portOption(description: string): Option {
  return numberOption("--port <number>", description, [0, 65_535], "is not a port; pass a number from 0 to 65535");
}

/** Converts the error of a server that cannot listen. */
export function listenError(command: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const reason = error.code === "EADDRINUSE" ? "the port is in use" : "the address cannot be listened on";
  return usageError(`${command}: ${reason} (${error.code}); pass another --port or --host`, error);
}
