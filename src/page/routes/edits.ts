import { z } from "zod";
import type { DiffHunk } from "../../core/history/unified-diff.js";
import type { Memory } from "../../core/memory.js";
import { MemoryError } from "../../core/values/errors.js";
import { getPathPrefix, normalizePath } from "../../core/values/paths.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { maxBodyBytes } from "../body.js";
import { addressFields, changeFields } from "../fields.js";
import { compareTexts } from "../hunks.js";
import { openMemory, openToEdit } from "../page-memory.js";
import { route } from "../route.js";
import { readPresentText } from "./present-text.js";

const writeSchema = z
  .object({
    ...changeFields,
    path: z.string(),
    content: z.string(),
    /** The digest of the text that the person has edited. Null for a new file. */
    digest: z.string().length(64).nullable(),
  })
  .strict();

interface Saved {
  /** The stored text, if a guard has changed it. */
  changedTo: string | null;
  /**
   * Set if nothing was stored, because the file is not what the person has edited: the digest of what it contains now
   * (null if there is no file), and what the person's text would change.
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
    try {
      return { changedTo: await save(memory, path, content, digest), conflict: null };
    } catch (error) {
      if (!(error instanceof OtherTextError)) throw error;
      const hunks = await compareTexts(error.text, content, context.signal);
      return {
        changedTo: null,
        conflict: { digest: error.text === null ? null : hashSha256(error.text), hunks },
      };
    }
  },
  maxBodyBytes.text,
);

/** The file is not what the person has edited. */
class OtherTextError extends Error {
  /** Null if there is no file. */
  readonly text: string | null;

  constructor(text: string | null) {
    super("the file has another text");
    this.text = text;
  }
}

/** @returns the stored text, if a guard has changed it. @throws OtherTextError */
async function save(memory: Memory, path: string, content: string, digest: string | null): Promise<string | null> {
  try {
    if (digest === null) {
      await memory.write(path, content, { ifExists: "fail" });
      const stored = await readPresentText(memory, path);
      return stored === content ? null : stored;
    }
    const { content: stored } = await memory.edit(path, (text) => {
      if (hashSha256(text) !== digest) throw new OtherTextError(text);
      return content;
    });
    return stored ?? null;
  } catch (error) {
    const isOther = MemoryError.isInstance(error) && error.code === (digest === null ? "EEXIST" : "ENOENT");
    if (!isOther) throw error;
    const text = await readPresentText(memory, path);
    throw digest === null && text === null ? error : new OtherTextError(text);
  }
}

const renameSchema = z.object({ ...changeFields, from: z.string(), to: z.string() }).strict();

const rename = route("POST", "rename", renameSchema, async ({ address, from: rawFrom, to: rawTo, by }, context) => {
  const [from, to] = [normalizePath(rawFrom), normalizePath(rawTo)];
  await openToEdit(context, address, [from, to], by).rename(from, to);
  return { path: to };
});

const removeSchema = z.object({ ...changeFields, path: z.string() }).strict();

const remove = route("POST", "delete", removeSchema, async ({ address, path: rawPath, by }, context) => {
  const path = normalizePath(rawPath);
  return openToEdit(context, address, [path], by).delete(path);
});

const previewSchema = z.object({ ...addressFields, path: z.string() }).strict();

const previewRemove = route("GET", "delete-preview", previewSchema, async ({ path: rawPath, ...address }, context) => {
  const path = normalizePath(rawPath);
  const memory = openMemory(context, address);
  const { files } = await memory.outline();
  const within = files.filter((file) => file.path === path || file.path.startsWith(getPathPrefix(path)));
  return { files: within.length, isKept: memory.history !== null };
});

export const editRoutes = [write, rename, remove, previewRemove] as const;
