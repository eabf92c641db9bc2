import { notesFormat } from "../notes-format.js";

/** The folder of Claude's memory tool: `memories` itself. */
export const claudeMemory = notesFormat({ version: "memory_20250818 of @anthropic-ai/sdk 1.12.0" });
