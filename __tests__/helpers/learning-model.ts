import { ScriptedChatModel, type ScriptedAnswer } from "./scripted-chat-model.js";

export interface LearningModel {
  model: ScriptedChatModel;
  /** What the model was asked, oldest first. */
  prompts: string[];
}

/** A model that is asked what to remember, and answers with operations or an error. */
export function createLearningModel(answer: (prompt: string, count: number) => object[] | Error): LearningModel {
  const prompts: string[] = [];
  const model = new ScriptedChatModel((messages): ScriptedAnswer => {
    const prompt = messages.map(({ text }) => text).join("\n\n");
    prompts.push(prompt);
    const operations = answer(prompt, prompts.length);
    if (operations instanceof Error) throw operations;
    return { tool: "memory_operations", args: { operations } };
  });
  return { model, prompts };
}

/** Returns the new texts of a prompt, without their labels. */
export function getNewTexts(prompt = ""): string[] {
  const [, texts = ""] = prompt.split("New texts:\n");
  return texts.split("\n").flatMap((line) => (line.startsWith("| ") ? [line.slice(2)] : []));
}
