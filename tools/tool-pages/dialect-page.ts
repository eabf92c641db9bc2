import type { Dialect } from "../../src/dialects/dialect.js";

type Arguments = Record<string, unknown>;

/** What the page of a dialect says beside what its tools say of themselves. */
export interface DialectPage {
  title: string;
  /** Markdown, above the tools. */
  introduction: string;
  /** Markdown, below the tools. */
  end: string;
  /** With a clock that stands still. */
  dialect: () => Dialect;
  /** Called on each fresh memory, before an example. */
  prepare: { tool: string; args: Arguments }[];
  calls: CallPage[];
  /** Of the code blocks of answers. */
  answerLanguage: "json" | "text" | "yaml";
  /** An answer that refuses, in one line. */
  refusalIn: (answer: string) => string;
}

/** A tool, or one command of a tool that has several. */
export interface CallPage {
  tool: string;
  command?: string;
  does: string;
  examples: Arguments[];
  /** Calls that are refused, and what the model should do then. */
  refusals: { args: Arguments; instead: string }[];
}
