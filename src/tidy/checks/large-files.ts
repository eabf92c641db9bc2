import { checkEachFile } from "../finding.js";

export const largeFiles = checkEachFile(({ content }, { maxChars }) =>
  content.length > maxChars
    ? {
        kind: "large",
        message: `${content.length} characters are more than the ${maxChars} that a connector shows; split the file`,
      }
    : null,
);
