import { z } from "zod";
import type { DiffHunk } from "../../core/history/unified-diff.js";
import { catchRefusal, hasCode } from "../../core/values/errors.js";
import { normalizePath } from "../../core/values/paths.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { maxBodyBytes } from "../body.js";
import { changeFields } from "../fields.js";
import { compareTexts } from "../hunks.js";
import { openToEdit } from "../page-memory.js";
import { route } from "../route.js";

const writeSchema = z.strictObject({
  ...changeFields,
  path: z.string(),
  content: z.string(),
  /** The digest of the text that the person has edited. Null for a new file. */
  digest: z.string().length(64).nullable(),
});

interface Saved {
  /** The stored text of an existing file, if a guard has changed it. */
  changedTo: string | null;
  /**
   * Set if nothing was stored, because the file has changed since the person opened it: the digest of its present text
   * (null if there is no file), and the difference to the person's text.
   */
  conflict: { digest: string | null; hunks: DiffHunk[] } | null;
}

const write = route(
  "POST",
  "write",
  writeSchema,
  async ({ address, path: rawPath, content, digest, by }, context): Promise<Saved> => {
    const path = normalizePath(rawPath);
    const memory = openToEdit(context, address, [path], by);
    const replace = (text: string): string => {
      if (hashSha256(text) === digest) return content;
      throw new OtherTextError();
    };
    try {
      if (digest !== null) {
        const { content: changedTo = null } = await memory.edit(path, replace);
        return { changedTo, conflict: null };
      }
      await memory.write(path, content, { ifExists: "fail" });
      return { changedTo: null, conflict: null };
    } catch (error) {
      const code = digest === null ? "EEXIST" : "ENOENT";
      const isOther = error instanceof OtherTextError || hasCode(error, code);
      const text = isOther ? await catchRefusal(memory.read(path), "ENOENT", "EISDIR") : null;
      // A directory at the path of a new file has no text that could be replaced.
      if (!isOther || (digest === null && text === null)) throw error;
      const hunks = await compareTexts(text, content, context.signal);
      return { changedTo: null, conflict: { digest: text === null ? null : hashSha256(text), hunks } };
    }
  },
  maxBodyBytes.text,
);

/** The file has changed since the person opened it. */
class OtherTextError extends Error {}

const renameSchema = z.strictObject({ ...changeFields, from: z.string(), to: z.string() });

const rename = route("POST", "rename", renameSchema, async ({ address, from: rawFrom, to: rawTo, by }, context) => {
  const [from, to] = [normalizePath(rawFrom), normalizePath(rawTo)];
  await openToEdit(context, address, [from, to], by).rename(from, to);
  return { path: to };
});

const removeSchema = z.strictObject({ ...changeFields, path: z.string() });

const remove = route("POST", "delete", removeSchema, async ({ address, path: rawPath, by }, context) => {
  const path = normalizePath(rawPath);
  return openToEdit(context, address, [path], by).delete(path);
});

export const editRoutes = [write, rename, remove] as const;
