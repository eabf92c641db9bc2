import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { printablePath, quoteContent } from "../prompt/fence.js";
import type { FileText } from "../core/tree/snapshot.js";
import { shorten } from "../core/values/text.js";
import { defaultInstructions, fixedRules, repairRequest } from "./instructions.js";
import type { DroppedOperation } from "./operation.js";
import type { Source } from "./sources.js";

/** The input of a prompt. */
interface LearnInput {
  /** The new texts, by label. */
  sources: ReadonlyMap<string, Source>;
  /** Patterns of the paths that may be changed. */
  write: readonly string[];
  /** Paths of files that may be changed. */
  paths: readonly string[];
  /** Whole files that have passages about the new texts. */
  files: readonly FileText[];
  /** Passages about the new texts, from other files. */
  passages: readonly FileText[];
  /** Changes that a person has rejected. */
  unwanted: readonly { path: string; diff: string; reason: string | null }[];
}

const maxUnwantedChars = 500;

/** Creates the messages for a model. They quote every text of the memory. */
export function createPrompt(input: LearnInput, instructions = defaultInstructions): BaseMessage[] {
  const { sources, write, paths, files, passages, unwanted } = input;
  const sections: [string, string[]][] = [
    [`You may change files at: ${write.map(printablePath).join(", ")}. These are there:`, paths.map(printablePath)],
    [
      "What the memory says already:",
      [...files, ...passages].map((file) => quote(printablePath(file.path), file.content)),
    ],
    [
      "A person has rejected these changes. Do not propose them again:",
      unwanted.map(({ path, diff, reason }) =>
        quote(
          `${printablePath(path)}${reason === null ? "" : ", because:"}`,
          shorten(`${reason ?? ""}\n${diff}`.trim(), maxUnwantedChars),
        ),
      ),
    ],
    ["New texts:", Array.from(sources, ([label, { place, text }]) => quote(`${label}, ${printablePath(place)}`, text))],
  ];
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}\n${lines.join("\n")}`)
    .join("\n\n");
  return [new SystemMessage(`${instructions}\n\n${fixedRules}`), new HumanMessage(text)];
}

/** Creates the message that returns refused operations to the model. */
export function createRepairPrompt(dropped: readonly DroppedOperation[]): BaseMessage {
  const lines = dropped.map(({ operation, why }) =>
    quote(printablePath(why), shorten(JSON.stringify(operation), maxUnwantedChars)),
  );
  return new HumanMessage([repairRequest, ...lines].join("\n"));
}

function quote(title: string, content: string): string {
  return `${title}\n${quoteContent(content)}`;
}
