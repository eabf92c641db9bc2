import { deepagents } from "./formats/deepagents.js";
import { mem0 } from "./formats/mem0.js";
import { okf } from "./formats/okf.js";
import { serverMemory } from "./formats/server-memory.js";
import { store } from "./formats/store.js";
import type { MoveInFormat } from "./item.js";

/** All formats that can move in. No other module lists them. */
export const formats = {
  store,
  "server-memory": serverMemory,
  mem0,
  deepagents,
  okf,
} satisfies Record<string, MoveInFormat>;

/**
 * The name of a format.
 * @useDeclaredType
 */
export type MoveInFormatName = keyof typeof formats;

export const formatNames = Object.keys(formats);
