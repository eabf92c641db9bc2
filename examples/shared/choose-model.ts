import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ScriptedChatModel, type Script } from "./scripted-chat-model.js";

export interface ChosenModel {
  model: BaseChatModel;
  /** For people. */
  name: string;
}

/** ChatOpenAI where `OPENAI_API_KEY` is set (`OPENAI_MODEL` names the model), otherwise a scripted model of ours. */
export async function chooseModel(script: Script): Promise<ChosenModel> {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = "gpt-4.1-mini" } = process.env;
  if (!apiKey) return { model: new ScriptedChatModel(script), name: "scripted (set OPENAI_API_KEY for ChatOpenAI)" };
  const { ChatOpenAI } = await import("@langchain/openai");
  return { model: new ChatOpenAI({ model, apiKey }), name: `ChatOpenAI ${model}` };
}
