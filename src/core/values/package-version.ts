/** As in package.json, which neither build could find from where it is installed; a test compares the two. */
export const packageVersion = "0.1.0";
