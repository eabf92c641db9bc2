/** The version in package.json. A build cannot find that file from where it is installed; a test compares the two. */
export const packageVersion = "1.0.0-rc.1";
