import { checkEachFile } from "../finding.js";

export const emptyFiles = checkEachFile(({ content }) =>
  content.trim() === "" ? { kind: "empty", message: "the file has no text" } : null,
);
