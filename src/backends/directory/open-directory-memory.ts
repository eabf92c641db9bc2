import { basename, resolve } from "node:path";
import { z } from "zod";
import { DirectoryBackend } from "./directory-backend.js";
import type { Memory } from "../../core/memory.js";
import { openMemoryOver } from "../../core/open-memory-over.js";
import { checkOptions } from "../../core/settings/check-options.js";
import { type MemoryOptions, memoryOptionFields } from "../../core/memory-options.js";

/** The folder of a memory, and its settings. */
export interface DirectoryMemoryOptions extends MemoryOptions {
  /** The folder. The first change makes it if it is missing. A link is followed here, and nowhere inside. */
  dir: string;
  /**
   * The people who may use new files and directories. `owner`: only the user of the process (600 and 700), whatever
   * the umask. `umask`: everybody whom the umask of the process allows. @default "owner"
   */
  rights?: "owner" | "umask";
}

/**
 * The longest wait of a call while other processes hold the lock. It is longer than the time after which a call takes
 * over the lock of a frozen process.
 */
const maxLockWaitMs = 15_000;

const optionsSchema = z.strictObject({
  ...memoryOptionFields,
  dir: z
    .string()
    .min(1)
    .refine((dir) => basename(resolve(dir)) !== "", "must name a folder, not the root of a file system"),
  rights: z.enum(["owner", "umask"]).optional(),
});

/**
 * Opens a memory as ordinary files in a folder. You can read the files, edit them by hand, and keep them in git. The
 * address of the memory is the name of the folder, with the scope `global`. The folder is first used by the first call.
 *
 * Changes wait for each other, across processes too. Their lock is in the hidden folder `.langgraph-mongo-memory`,
 * which git ignores. Each change becomes visible by one `rename`, so no reader and no crash sees half a change. Only
 * the root is emptied file by file. Reads of one file and listings take no lock. An editor takes no lock either: a text
 * that it saves between two calls is seen at once, a text that it saves during a call may be overwritten.
 *
 * A changed file keeps its owner and its rights, except setuid and setgid. `createdAt` becomes the time of the change.
 * If a file has several hard links, only this name gets the new text. Names that Windows, macOS or git would refuse or
 * confuse are EINVAL. Links, special files and names that no path can have are not part of the memory. Listings show
 * files without UTF-8 text, files without the right to read, and files over 15,000,000 bytes. Reading such a file is
 * EIO or EFBIG, and a snapshot leaves it out. `maxMemoryBytes` is ignored.
 *
 * @throws TypeError for bad options, MemoryError EINVAL if the folder has a name that no id can have
 */
export function openDirectoryMemory(options: DirectoryMemoryOptions): Memory {
  return openFolder(options, maxLockWaitMs);
}

/** Opens it with another wait for the lock, in ms. */
export function openFolder(options: DirectoryMemoryOptions, lockTimeoutMs: number): Memory {
  checkOptions("DirectoryMemoryOptions", optionsSchema, options);
  const { dir, rights = "owner", ...memoryOptions } = options;
  const absolute = resolve(dir);
  return openMemoryOver(
    (_address, { maxFileBytes }) => new DirectoryBackend({ dir: absolute, maxFileBytes, lockTimeoutMs, rights }),
    { nodeId: basename(absolute) },
    memoryOptions,
  );
}
