/** Tokens without a bar between angle brackets, or after `</`. Written as expressions. */
const inAngles = [
  // Llama 2, Mistral, Gemma, FunctionGemma, T5 and Nemotron
  "s",
  "unk",
  "pad",
  "bos",
  "eos",
  "start_of_turn",
  "end_of_turn",
  "start_of_image",
  "end_of_image",
  "(?:start|end)_function_(?:declaration|call|response)",
  "escape",
  "unused\\d+",
  "extra_id_\\d+",
  "SPECIAL_\\d+",
  // Qwen, DeepSeek, GLM, Cohere, MiniMax, Seed, StarCoder, InternLM, Baichuan
  "think",
  "tool_call",
  "tool_response",
  "arg_key",
  "arg_value",
  "sop",
  "eop",
  "(?:BOS|EOS|EOP|PAD|UNK|CLS|SEP|MASK)_TOKEN",
  "(?:minimax|seed):[a-z_:]+",
  "fim_(?:prefix|middle|suffix|pad)",
  "file_sep",
  "repo_name",
  "eoh",
  "eoa",
  "TOKENS_UNUSED_\\d+",
  "reserved_\\d+",
  // Reka, Ling, LongCat
  "sep",
  "role",
  "longcat_[a-z_]+",
];

/** Tokens between square brackets, or after `[/`. */
const inSquares = [
  // Llama 2 and Mistral
  "INST",
  "SYSTEM_PROMPT",
  "AVAILABLE_TOOLS",
  "TOOL_CALLS",
  "TOOL_RESULTS",
  "TOOL_CONTENT",
  "CALL_ID",
  "ARGS",
  "THINK",
  "MODEL_SETTINGS",
  "IMG",
  "IMG_BREAK",
  "IMG_END",
  "AUDIO",
  "BEGIN_AUDIO",
  "PREFIX",
  "MIDDLE",
  "SUFFIX",
  // GLM, Kimi, InternLM
  "[gs]?MASK",
  "BOS",
  "EOS",
  "EOT",
  "(?:start|end)_header_id",
  "UNUSED_TOKEN_\\d+",
];

const bar = "[|\uff5c]";
/** No token contains a backslash, so escaped text is not escaped again. */
const inside = "[^ \\t\\n<>\\\\]";

/**
 * An expression (flag `u`) for the first character of each special token in the chat templates of known models, such as
 * `<|im_end|>`: everything in angle brackets with a bar at either end, and the tokens named above. The bar is ASCII or
 * DeepSeek's full-width one. The expression looks ahead no farther than the next `<`, so a text is read at most a few
 * times.
 */
export const specialTokenStart = [
  `<(?=${bar}${inside}+>|${inside}+${bar}>|/?(?:${inAngles.join("|")})>|</?SYS>>)`,
  // EXAONE has a bar at both ends inside square brackets.
  `\\[(?=/?(?:${inSquares.join("|")})\\]|e~\\[|${bar}[^ \\t\\n[\\]\\\\|\uff5c]+${bar}\\])`,
  // Tokens of MiniMax begin with a closing bracket. DeepSeek's mark of markup counts also without angle brackets.
  "\\](?=~!?b[\\]\\[]|![pd]~\\[)",
  "\uff5c(?=DSML\uff5c)",
].join("|");

/** Characters with which a special token can begin, as members of a character class. */
export const specialTokenStarts = "<\\[\\]\uff5c";
