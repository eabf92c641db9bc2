/**
 * Tests that cannot run on other systems than Linux, and why. A pattern is a part of the path of a test file.
 *
 * @type {readonly { files: string; not: readonly NodeJS.Platform[]; reason: string }[]}
 */
const elsewhere = [
  {
    files: "unit/backends/folder/any-names",
    not: ["darwin", "win32"],
    reason: "makes names that only a file system of plain bytes can hold",
  },
  { files: "unit/backends/folder/bare-names", not: ["darwin", "win32"], reason: "makes a name that is not UTF-8" },
  {
    files: "unit/backends/folder/ended-holder",
    not: ["darwin", "win32"],
    reason: "only Linux tells enough of processes",
  },
  {
    files: "integration/folder/exchanged-directories",
    not: ["darwin", "win32"],
    reason: "only Linux has names below handles of directories",
  },
  { files: "unit/backends/folder/rights", not: ["win32"], reason: "Windows has no modes and owners of files" },
  { files: "unit/backends/folder/links", not: ["win32"], reason: "makes pipes, and links without a kind" },
  {
    files: "unit/backends/folder/no-folder",
    not: ["win32"],
    reason: "Windows does not tell a file from a missing folder",
  },
  {
    files: "unit/backends/folder/without-handles",
    not: ["win32"],
    reason: "renames a folder in which a file is open, which Windows refuses",
  },
  { files: "integration/folder/signals", not: ["win32"], reason: "Windows has no signals" },
  {
    files: "integration/folder/(?:concurrency|crash)",
    not: ["win32"],
    reason: "nobody has tried several processes on Windows, which refuses to replace a file that another one has open",
  },
];

/** The patterns of tests that cannot run on this system. */
export const ignoredHere = elsewhere
  .filter(({ not }) => not.includes(process.platform))
  .map(({ files }) => `${files}\\.test\\.ts$`.replaceAll("/", "[/\\\\]"));
