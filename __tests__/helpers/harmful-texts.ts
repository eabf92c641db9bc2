/** Tokens of the chat templates of known models, in the spelling of their tokenizers. */
export const specialTokens = [
  // OpenAI
  "<|im_start|>",
  "<|im_end|>",
  "<|im_sep|>",
  "<|endoftext|>",
  "<|endofprompt|>",
  "<|start|>",
  "<|channel|>",
  "<|message|>",
  "<|return|>",
  "<|call|>",
  "<|end|>",
  "<|constrain|>",
  // Llama
  "<s>",
  "</s>",
  "[INST]",
  "[/INST]",
  "<<SYS>>",
  "<</SYS>>",
  "<|begin_of_text|>",
  "<|end_of_text|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|python_tag|>",
  "<|header_start|>",
  "<|reserved_special_token_0|>",
  // Gemma
  "<bos>",
  "<eos>",
  "<start_of_turn>",
  "<end_of_turn>",
  "<start_function_call>",
  "<|turn>",
  "<turn|>",
  "<|tool_call>",
  "<tool_call|>",
  '<|"|>',
  // Mistral
  "[AVAILABLE_TOOLS]",
  "[/AVAILABLE_TOOLS]",
  "[TOOL_CALLS]",
  "[TOOL_RESULTS]",
  "[/TOOL_RESULTS]",
  "[SYSTEM_PROMPT]",
  "[/SYSTEM_PROMPT]",
  "[THINK]",
  // DeepSeek
  "<｜User｜>",
  "<｜Assistant｜>",
  "<｜begin▁of▁sentence｜>",
  "<｜end▁of▁sentence｜>",
  "<｜tool▁calls▁begin｜>",
  "｜DSML｜",
  // Qwen, Phi, Cohere, GLM, Kimi, MiniMax, Seed, T5
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "<|system|>",
  "<|user|>",
  "<|assistant|>",
  "<|START_OF_TURN_TOKEN|>",
  "<|END_OF_TURN_TOKEN|>",
  "<|SYSTEM_TOKEN|>",
  "<BOS_TOKEN>",
  "[gMASK]",
  "<sop>",
  "<|observation|>",
  "[EOS]",
  "<|tool_calls_section_begin|>",
  "]~b]",
  "]~!b[",
  "[e~[",
  "<minimax:tool_call>",
  "<seed:eos>",
  "<extra_id_0>",
  // EXAONE, Reka, Ling, LongCat
  "[|system|]",
  "[|user|]",
  "[|assistant|]",
  "[|endofturn|]",
  "<sep>",
  "<role>",
  "</role>",
  "<longcat_tool_call>",
  "</longcat_tool_call>",
  "<longcat_think>",
];

/** Finds known tokens in a text, and all other texts of the same shape. */
export function tokensIn(text: string): string[] {
  const shaped = text.match(/<[|｜][^ \t\n<>\\]+>|<[^ \t\n<>\\]+[|｜]>|\[[|｜][^ \t\n[\]\\|｜]+[|｜]\]/g) ?? [];
  return [...specialTokens.filter((token) => text.includes(token)), ...shaped];
}

const seenBefore = /[\p{L}\p{M}\p{Emoji}\p{Extended_Pictographic}]/u;
const joinersAndStyles = ["\u200c", "\u200d", "\ufe0e", "\ufe0f"];

/**
 * Finds controls, format characters, selectors and fillers, except joiners and style selectors at a visible character.
 */
export function hiddenIn(text: string): string[] {
  const characters = Array.from(text.replaceAll("\r\n", "\n").replace(/\r$/, ""));
  return characters.filter((character, index) => {
    const before = characters[index - 1] ?? "";
    const isNeeded = seenBefore.test(before) || (character === "\u200d" && before === "\ufe0f");
    if (joinersAndStyles.includes(character)) return !isNeeded;
    return /[^\P{Cc}\t\n]|\p{Cf}|\p{Cs}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}/u.test(character);
  });
}
