import { checkEachFile } from "../finding.js";

export const largeFiles = checkEachFile(({ content }, { maxChars }) =>
  content.length > maxChars
    ? {
        kind: "large",
        line: null,
        count: 0,
        message: `${content.length} characters are more than the ${maxChars} that a connector shows; split the file`,
        remedy: null,
      }
    : null,
);
