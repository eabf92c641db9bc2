import type { CliContext } from "../context.js";

/** Whether a person can answer a question on the terminal. */
export function canConfirm({ io, err }: CliContext): boolean {
  return io.stdin.isTTY === true && err.isTerminal;
}

/** Asks on the standard error, because the standard output is for results. Only "y" and "yes" confirm. */
export async function confirm(question: string, { io, err }: CliContext): Promise<boolean> {
  await err.write(`${question} [y/N] `);
  let answer = "";
  for await (const chunk of io.stdin) {
    answer += Buffer.from(chunk).toString();
    if (answer.includes("\n")) break;
  }
  return /^y(?:es)?$/i.test(answer.trim());
}
