import { hashSha256 } from "../core/values/sha256.js";
import { takeStart } from "../core/values/text.js";

const maxNameChars = 100;

/** Characters that a path, or the file name of some system, cannot have. `%` could hide others. */
const unfit = /[\p{C}\p{Zl}\p{Zp}/\\%<>:"|?*]+/gu;

/**
 * Makes one name of a path out of any text. A name that had to be changed ends with the start of a hash, so that
 * different texts have different names. An ending such as `.md` stays.
 */
function toFileName(text: string): string {
  const plain = text.toWellFormed().normalize("NFC").replaceAll(unfit, "-").trim();
  if (plain === text && text.length <= maxNameChars && !/^\.*$/.test(text)) return text;
  const [ending = ""] = /\.[A-Za-z0-9]{1,8}$/.exec(plain) ?? [];
  const stem = plain.slice(0, plain.length - ending.length).replaceAll(/^\.+$/g, "");
  return `${takeStart(stem, maxNameChars).trim() || "item"}~${shortHash(text)}${ending}`;
}

/** Makes a path out of texts, and says whether a name had to be changed. */
export function toPath(texts: readonly string[]): { path: string; shortened: string | undefined } {
  const names = texts.map(toFileName);
  const isChanged = names.some((name, index) => name !== texts[index]);
  return {
    path: `/${names.join("/")}`,
    shortened: isChanged ? "its name was changed to one that a path can have" : undefined,
  };
}

/** Returns the name of the file that the facts of a month share. */
export function getMonthFile(createdAt: Date | undefined): string {
  return `${createdAt?.toISOString().slice(0, 7) ?? "undated"}.md`;
}

function shortHash(text: string): string {
  return hashSha256(text).slice(0, 8);
}

/** Reads a time in any form that exports have: a Date, ISO 8601, or seconds or milliseconds since 1970. */
export function toDate(value: unknown): Date | undefined {
  const given = typeof value === "number" ? (value < 1e11 ? value * 1000 : value) : value;
  if (typeof given !== "number" && typeof given !== "string" && !(given instanceof Date)) return undefined;
  const date = new Date(given);
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date : undefined;
}
