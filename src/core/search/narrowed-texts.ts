export type { CandidateFiles as NarrowedTexts } from "../contract/candidate-files.js";
