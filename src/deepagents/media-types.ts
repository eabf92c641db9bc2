import { posix } from "node:path";

const plainText = "text/plain";

/** The text types of deepagents. It reads all other extensions as plain text, too, except the binary ones. */
const textTypes = new Map([
  [".md", "text/markdown"],
  [".markdown", "text/markdown"],
  [".html", "text/html"],
  [".htm", "text/html"],
  [".css", "text/css"],
  [".csv", "text/csv"],
  [".xml", "text/xml"],
  [".json", "application/json"],
  [".js", "application/javascript"],
  [".mjs", "application/javascript"],
  [".cjs", "application/javascript"],
  [".svg", "image/svg+xml"],
]);

const images = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".heif"];
const sounds = [".mp3", ".wav", ".aiff", ".aac", ".ogg", ".flac"];
const films = [".mp4", ".webm", ".mpeg", ".mov", ".avi", ".flv", ".mpg", ".wmv", ".3gpp"];
const documents = [".pdf", ".ppt", ".pptx"];
const binaryExtensions = new Set([...images, ...sounds, ...films, ...documents]);

/** Returns a text type for every path, because all files of a memory are text, and `read_file` shows only text. */
export function getMediaType(path: string): string {
  return textTypes.get(getExtension(path)) ?? plainText;
}

/** Whether deepagents decodes a model's text for this path as base64. */
export function isBinaryPath(path: string): boolean {
  return binaryExtensions.has(getExtension(path));
}

function getExtension(path: string): string {
  return posix.extname(path).toLowerCase();
}
