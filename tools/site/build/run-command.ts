import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a program with the output of this one, and fails if it fails. */
export async function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; shell?: boolean } = {},
): Promise<void> {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  const end = (): void => {
    child.kill();
  };
  // Who ends the script ends the program, too.
  process.once("SIGTERM", end);
  const [code] = (await once(child, "exit")) as [number | null];
  process.off("SIGTERM", end);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${String(code)}`);
}
