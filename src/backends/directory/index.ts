export { type DirectoryMemoryOptions, openDirectoryMemory } from "./open-directory-memory.js";
