export { openDirectoryMemory } from "./open-directory-memory.js";
