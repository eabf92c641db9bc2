import { expect } from "@jest/globals";
import type { Answer, Replay } from "./journal-scenario.js";

/** Answers that differ from the crate's, by number. All other answers must equal the crate's bytes. */
export function changed({ answers }: Replay): Record<number, Answer> {
  const differing = answers.flatMap(({ text, expected }, index) =>
    JSON.stringify(JSON.parse(text)) === expected ? [] : [[index, JSON.parse(text) as Answer] as const],
  );
  return Object.fromEntries(differing);
}

/** Builds parts of expected answers: a refusal, the refusal of a missing key, and a success. */
export const refused = (code: string, message?: string): object => ({
  success: false,
  error: { code, message: message ?? expect.any(String) },
});
export const notFound = (key: string): object => refused("MEMORY_KEY_NOT_FOUND", `no memory block for key \`${key}\``);
export const read = (data: object): object => ({ success: true, data: expect.objectContaining(data) });

interface Hit {
  content: string;
  file: string;
  key: string;
}

/** Returns the results of a search, or an empty list if the search was refused. */
export function hitsOf(answer: Answer | undefined): Hit[] {
  return (answer?.data?.["results"] as Hit[] | undefined) ?? [];
}
