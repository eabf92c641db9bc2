/** The version in package.json. The built code cannot find package.json, so the version is here, too. A test compares the two. */
export const packageVersion = "1.0.0";
