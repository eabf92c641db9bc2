import type { CliContext } from "../context.js";
import { exitCodes, usageError } from "../errors.js";

/** @param advice what to pass instead. @throws CommandError EUSAGE if no person can answer a question on the terminal */
export function assertCanConfirm(command: string, advice: string, { io, err }: CliContext): void {
  if (io.stdin.isTTY === true && err.isTerminal) return;
  throw usageError(`${command} asks before it erases, and there is no terminal to ask on; pass ${advice}`);
}

/**
 * Asks on the standard error, because the standard output is for results. Only "y" and "yes" confirm. Otherwise it says
 * that nothing was done, and the command exits with 1.
 */
export async function confirm(question: string, done: string, context: CliContext): Promise<boolean> {
  const { io, err } = context;
  await err.write(`${question} [y/N] `);
  let answer = "";
  for await (const chunk of io.stdin) {
    answer += Buffer.from(chunk).toString();
    if (answer.includes("\n")) break;
  }
  if (/^y(?:es)?$/i.test(answer.trim())) return true;
  context.exitCode = exitCodes.refused;
  await err.line(`nothing was ${done}`);
  return false;
}
