import type { CliContext } from "../context.js";

/** Whether somebody sits there who can answer. */
export function canAsk({ io, err }: CliContext): boolean {
  return io.stdin.isTTY === true && err.isTerminal;
}

/** Asks on the standard error, because the standard output is for results. Anything but "y" and "yes" is no. */
export async function isConfirmed(question: string, { io, err }: CliContext): Promise<boolean> {
  await err.write(`${question} [y/N] `);
  let answer = "";
  for await (const chunk of io.stdin) {
    answer += Buffer.from(chunk).toString();
    if (answer.includes("\n")) break;
  }
  return /^y(?:es)?$/i.test(answer.trim());
}
