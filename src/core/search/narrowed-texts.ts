export type { CandidateFiles as NarrowedTexts } from "./candidate-files.js";
