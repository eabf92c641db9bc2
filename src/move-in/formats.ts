import { basicMemory } from "./formats/basic-memory.js";
import { chatgptExport } from "./formats/chatgpt-export.js";
import { claudeCode } from "./formats/claude-code.js";
import { claudeExport } from "./formats/claude-export.js";
import { claudeMemory } from "./formats/claude-memory.js";
import { deepagents } from "./formats/deepagents.js";
import { letta } from "./formats/letta.js";
import { mem0 } from "./formats/mem0.js";
import { obsidian } from "./formats/obsidian.js";
import { serverMemory } from "./formats/server-memory.js";
import { store } from "./formats/store.js";
import type { MoveInFormat } from "./item.js";

/** All formats that can move in. No other module lists them. */
export const formats = {
  store,
  "server-memory": serverMemory,
  mem0,
  "claude-memory": claudeMemory,
  "claude-code": claudeCode,
  "claude-export": claudeExport,
  "chatgpt-export": chatgptExport,
  deepagents,
  letta,
  obsidian,
  "basic-memory": basicMemory,
} satisfies Record<string, MoveInFormat>;

/**
 * The name of a format.
 * @useDeclaredType
 */
export type MoveInFormatName = keyof typeof formats;

export const formatNames = Object.keys(formats);
