import { getConfig, isGraphBubbleUp, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type {
  BackendProtocolV2,
  DeleteResult,
  EditResult,
  FileDownloadResponse,
  FileOperationError,
  FileUploadResponse,
  GlobResult,
  GrepResult,
  LsResult,
  ReadRawResult,
  ReadResult,
  WriteResult,
} from "deepagents";
import { MemoryError, type MemoryErrorCode } from "../core/values/errors.js";
import type { Memory } from "../core/memory.js";
import { normalizePath, ROOT } from "../core/values/paths.js";
import { MemoryTree } from "../core/tree/memory-tree.js";
import { getMemoryRun } from "../langchain/memory-run.js";
import { checkMemorySource, openMemoryForRun, type MemorySource } from "../langchain/memory-source.js";
import { getMediaType } from "./media-types.js";
import { checkBackendOptions, type DeepAgentsBackendOptions, warn } from "./options.js";
import { listChildren, findFiles, grepFiles } from "./search.js";
import { assertText, assertTextPath, decodeText, editText, lineWindow } from "./texts.js";

/** The answer to a failed download or upload. For any other code it is `permission_denied`, and `onError` is called. */
const operationErrors: Partial<Record<MemoryErrorCode, FileOperationError>> = {
  ENOENT: "file_not_found",
  EISDIR: "is_directory",
  EINVAL: "invalid_path",
  ENOTDIR: "invalid_path",
};

/**
 * A memory as a backend of deepagents, for the whole file system of an agent or for a route of a `CompositeBackend`:
 * `new CompositeBackend(new StateBackend(), { "/memories/": new DeepAgentsBackend(memoryNode) })`. A route must end in "/".
 *
 * No edit is lost, in the same turn or between processes. When nobody else writes, every method is one command of
 * MongoDB; `edit` is at most two, and `uploadFiles` one for each file. Refusals and failures are answered as `error`,
 * in the words of deepagents' own backends if they have any. Only an interrupt or an abort of the run is thrown. Names
 * are created by the rule `posix`. Files are text: binary content is refused. Listings are sorted by path in code-unit
 * order.
 */
export class DeepAgentsBackend implements BackendProtocolV2 {
  readonly #source: MemorySource;
  readonly #onError: (error: MemoryError) => unknown;

  /**
   * @param memory a Memory, a MemoryNode or a function from a run to a Memory; the thread is `configurable.thread_id`
   * of
   *   the run that calls, and the store of a MemoryNode without one that of the run.
   * @throws TypeError for bad options, or if `memory` is not a memory
   */
  constructor(memory: MemorySource, options?: DeepAgentsBackendOptions) {
    checkMemorySource(memory);
    this.#source = memory;
    this.#onError = checkBackendOptions(options).onError;
  }

  /** The entries of a directory, without times. Directories end in "/". Empty if there is no such directory. */
  ls(path: string): Promise<LsResult> {
    return this.#attempt(async (memory) => ({ files: listChildren(await memory.outline(), path) }), plainError);
  }

  /**
   * Lines of a file. @param offset first line, from 0. @param limit how many lines. An offset after the last line is an
   * error.
   */
  read(filePath: string, offset = 0, limit = 500): Promise<ReadResult> {
    return this.#attempt(
      async (memory) => lineWindow(filePath, await memory.read(filePath), offset, limit),
      missingFile(filePath),
    );
  }

  /** The whole text of a file with its times, which only a snapshot has together. */
  readRaw(filePath: string): Promise<ReadRawResult> {
    return this.#attempt(async (memory) => {
      const { content, createdAt, updatedAt } = new MemoryTree(await memory.snapshot()).file(normalizePath(filePath));
      const times = { created_at: createdAt.toISOString(), modified_at: updatedAt.toISOString() };
      return { data: { content, mimeType: getMediaType(filePath), ...times } };
    }, missingFile(filePath));
  }

  /** Creates a file and its directories, or replaces its text. Paths of images and the like are refused. */
  write(filePath: string, content: string): Promise<WriteResult> {
    return this.#attempt(async (memory) => {
      assertTextPath(normalizePath(filePath));
      await memory.write(filePath, content);
      return { path: filePath, filesUpdate: null };
    }, shownError);
  }

  /** Replaces the one occurrence of `oldString`, or all of them; both are literal text. Atomic: see the class. */
  edit(filePath: string, oldString: string, newString: string, replaceAll = false): Promise<EditResult> {
    return this.#attempt(
      async (memory) => {
        assertText(oldString, "oldString");
        assertText(newString, "newString");
        let occurrences = 0;
        await memory.edit(filePath, (text) => {
          const edited = editText(text, { oldString, newString, replaceAll });
          occurrences = edited.replaced;
          return edited.text;
        });
        return { path: filePath, filesUpdate: null, occurrences };
      },
      missingFile(filePath, shownError),
    );
  }

  /**
   * Lines that hold a literal text. @param glob compared with names, or with paths from `path` on where it has a slash.
   */
  grep(pattern: string, path?: string | null, glob?: string | null, maxCount?: number | null): Promise<GrepResult> {
    return this.#attempt(async (memory, signal) => {
      assertText(pattern, "pattern");
      if (glob !== undefined && glob !== null) assertText(glob, "glob");
      const query = { pattern, path: path ?? ROOT, glob: glob ?? null, maxCount: maxCount ?? Number.POSITIVE_INFINITY };
      return grepFiles(await memory.snapshot(), query, signal);
    }, shownError);
  }

  /** Files only, without times. */
  glob(pattern: string, path: string = ROOT): Promise<GlobResult> {
    return this.#attempt(async (memory, signal) => {
      assertText(pattern, "pattern");
      return { files: await findFiles(await memory.outline(), { pattern, path }, signal) };
    }, plainError);
  }

  /** Removes a file, or a directory with everything below it, in one step. The root is emptied and stays. */
  delete(filePath: string): Promise<DeleteResult> {
    return this.#attempt(async (memory) => {
      const { files, dirs } = await memory.delete(filePath);
      if (files + dirs === 0 && normalizePath(filePath) !== ROOT) return { error: `Error: ${notFound(filePath)}` };
      return { path: filePath, filesUpdate: null };
    }, shownError);
  }

  downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const encoder = new TextEncoder();
    return this.#attempt(
      async (memory) => {
        // Several files come from one snapshot; a single one is read by itself.
        const tree = paths.length > 1 ? new MemoryTree(await memory.snapshot()) : null;
        const read = async (path: string): Promise<string> =>
          tree?.file(normalizePath(path)).content ?? memory.read(path);
        const download = async (path: string): Promise<FileDownloadResponse> => {
          const { value, error } = await this.#outcome(async () => encoder.encode(await read(path)));
          return { path, content: value, error };
        };
        return Promise.all(paths.map(download));
      },
      (failure) => {
        this.#report(failure);
        return paths.map((path) => ({ path, content: null, error: "permission_denied" }));
      },
    );
  }

  /** Writes each file by itself, one after the other. Of two contents for one path the later one stays. UTF-8 only. */
  uploadFiles(files: [path: string, content: Uint8Array][]): Promise<FileUploadResponse[]> {
    return this.#attempt(
      async (memory) => {
        const responses: FileUploadResponse[] = [];
        for (const [path, content] of files) {
          const { error } = await this.#outcome(async () => memory.write(path, decodeText(content)));
          responses.push({ path, error });
        }
        return responses;
      },
      (failure) => {
        this.#report(failure);
        return files.map(([path]) => ({ path, error: "permission_denied" }));
      },
    );
  }

  async #attempt<Answer, Failure>(
    operate: (memory: Memory, signal: AbortSignal | null) => Promise<Answer>,
    fail: (failure: MemoryError) => Failure,
  ): Promise<Answer | Failure> {
    // Undefined outside of a run, which its type does not say.
    const config: LangGraphRunnableConfig | undefined = getConfig();
    config?.signal?.throwIfAborted();
    try {
      const memory = await openMemoryForRun(this.#source, getMemoryRun(config));
      return await operate(memory.with({ paths: "posix" }), config?.signal ?? null);
    } catch (error) {
      if (isGraphBubbleUp(error) || config?.signal?.aborted === true) throw error;
      if (MemoryError.isInstance(error)) return fail(error);
      return fail(new MemoryError("EIO", "EIO: the memory could not be opened", { cause: error }));
    }
  }

  async #outcome<Value>(
    operate: () => Promise<Value>,
  ): Promise<{ value: Value | null; error: FileOperationError | null }> {
    try {
      return { value: await operate(), error: null };
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      const code = operationErrors[error.code];
      if (code === undefined) this.#report(error);
      return { value: null, error: code ?? "permission_denied" };
    }
  }

  /**
   * A hook that fails, at once or later, must not break the run; the failure is then reported in the default way.
   */
  #report(failure: MemoryError): void {
    try {
      Promise.resolve(this.#onError(failure)).catch(() => warn(failure));
    } catch {
      warn(failure);
    }
  }
}

type ErrorAnswer = { error: string };

const notFound = (path: string): string => `File '${path}' not found`;

/** For the tools that put "Error" before it themselves: `ls`, `read_file` and `glob`. */
function plainError({ message }: MemoryError): ErrorAnswer {
  return { error: message };
}

/** For the tools that show a model the error as it is. */
function shownError({ message }: MemoryError): ErrorAnswer {
  return { error: `Error: ${message}` };
}

/** A directory answers like a missing file, as in deepagents' own backends. */
function missingFile(
  path: string,
  inWords: (failure: MemoryError) => ErrorAnswer = plainError,
): (failure: MemoryError) => ErrorAnswer {
  return (failure) => {
    const isMissing = failure.code === "ENOENT" || failure.code === "EISDIR";
    return inWords(isMissing ? new MemoryError(failure.code, notFound(path), { cause: failure }) : failure);
  };
}
