import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";

/** What a model knows when it is asked. */
export interface Learning {
  /** The facts of the newest note. */
  news: readonly string[];
  /** All facts so far. */
  facts: readonly string[];
  /** The present text of the learnt file. "" if there is none. */
  learnt: string;
}

export const learntPath = "/profile/ada";

const rest = { text: null, oldText: null, to: null, reason: "The note says so.", sources: ["s1"] };
const append = (lines: readonly string[]): object[] =>
  lines.map((text) => ({ ...rest, operation: "append", path: learntPath, text }));
const edit = (oldText: string, text: string): object => ({
  ...rest,
  operation: "edit",
  path: learntPath,
  oldText,
  text,
});

/** Removes `2026-03-01: `. */
const withoutDate = (fact: string): string => fact.replace(/^\S+: /, "");
const splitLines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** The answers of a model without a mistake, and of models with the known ones. */
export const answers: Record<string, (learning: Learning) => object[]> = {
  "makes no mistake": ({ news }) => append(news),
  "drops dates": ({ news, learnt }) => [
    ...append(news.map(withoutDate)),
    ...splitLines(learnt).flatMap((line) => (withoutDate(line) === line ? [] : [edit(line, withoutDate(line))])),
  ],
  "rewrites the whole": ({ news, learnt }) => {
    const lines = splitLines(learnt);
    const summary = lines.slice(0, Math.ceil(lines.length / 2)).map(withoutDate);
    return [...append(news), ...(lines.length > 1 ? [edit(lines.join("\n"), summary.join("\n"))] : [])];
  },
  "merges wrongly": ({ news, learnt }) => {
    const [first, second] = splitLines(learnt).slice(-2);
    if (first === undefined || second === undefined) return append(news);
    const merged = `${first.replace(/\.$/, "")}, and ${withoutDate(second)}`;
    return [...append(news), edit(`${first}\n${second}`, merged)];
  },
  repeats: ({ news, facts }) => {
    const old = facts.slice(0, 9);
    return append([...news, ...old, ...old.map((fact) => `As she said, ${withoutDate(fact)}`)]);
  },
};

/** Makes a model of such answers. Asked to repair what was refused, it gives up. */
export function createMistaken(
  answer: (learning: Learning) => object[],
  learn: () => Promise<Learning>,
): BaseChatModel {
  const invoke = async (messages: BaseMessage[]): Promise<{ operations: object[] }> => ({
    operations: messages.length > 2 ? [] : answer(await learn()),
  });
  // `learn` calls nothing else of a model.
  return { model: "mistaken", withStructuredOutput: () => RunnableLambda.from(invoke) } as unknown as BaseChatModel;
}
