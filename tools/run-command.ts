import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
}

/** Runs a program to its end. @throws Error with everything that it printed, if it fails */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(command, args, { ...options, maxBuffer: 10_000_000 }).catch((error: unknown) => {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const place = options.cwd === undefined ? "" : `${options.cwd}: `;
    throw new Error(`${place}${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  });
}
