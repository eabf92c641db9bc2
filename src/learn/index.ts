export { createLearnNode, learnMiddleware } from "./learn-in-run.js";
export { learn } from "./learn.js";
export type { LearnOptions } from "./options.js";
export type { LearnReport } from "./report.js";
