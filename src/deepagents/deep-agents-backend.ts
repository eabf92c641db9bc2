import { getConfig, type LangGraphRunnableConfig } from "@langchain/langgraph";
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
import { wrongArgument } from "../core/settings/wrong-argument.js";
import { MemoryError, type MemoryErrorCode } from "../core/values/errors.js";
import type { Memory } from "../core/memory.js";
import { normalizePath, ROOT } from "../core/values/paths.js";
import { MemoryTree } from "../core/tree/memory-tree.js";
import { describeNearest } from "../dialects/nearest-lines.js";
import { getBinding, getMemoryRun } from "../langchain/memory-run.js";
import { checkMemorySource, openMemoryForRun, type MemorySource } from "../langchain/memory-source.js";
import { reportFailure, toFailure } from "../langchain/report-failure.js";
import { addToolCallOfTask, identifyOnlyChange } from "../langchain/task.js";
import { getMediaType } from "./media-types.js";
import { checkBackendOptions, type DeepAgentsBackendOptions, warn } from "./options.js";
import { listChildren, findFiles, grepFiles } from "./search.js";
import { assertText, assertTextPath, countText, decodeText, editText, lineWindow, StringNotFound } from "./texts.js";

/** Answers to a failed download or upload. Any other code answers `permission_denied` and calls `onError`. */
const operationErrors: Partial<Record<MemoryErrorCode, FileOperationError>> = {
  ENOENT: "file_not_found",
  EISDIR: "is_directory",
  EINVAL: "invalid_path",
  ENOTDIR: "invalid_path",
};

/**
 * A memory as a backend of deepagents, for the whole file system of an agent or for a route of a `CompositeBackend`:
 * `new CompositeBackend(new StateBackend(), { "/memories/": new DeepAgentsBackend(memoryNode) })`. A route must end in
 * "/".
 *
 * No edit is lost, neither in one turn nor between processes. If nobody else writes, every method is one command of
 * MongoDB, except `edit` (at most two) and `uploadFiles` (one for each file). Refusals and failures are answered as
 * `error`, in the words of deepagents' own backends if they have any. Only an interrupt or an abort of the run is
 * thrown. New names follow the rule `posix`. Files are text: binary content is refused. Listings are sorted by path in
 * code-unit order.
 */
export class DeepAgentsBackend implements BackendProtocolV2 {
  readonly #source: MemorySource;
  readonly #onError: (error: MemoryError) => unknown;

  /**
   * @param memory a Memory, a MemoryNode or a function from a run to a Memory. The thread is `configurable.thread_id`
   * of the calling run. A MemoryNode that has no store uses the run's store.
   * @throws TypeError for bad options, or if `memory` is not a memory
   */
  constructor(memory: MemorySource, options?: DeepAgentsBackendOptions) {
    checkMemorySource(memory);
    this.#source = memory;
    this.#onError = checkBackendOptions(options).onError;
  }

  /** Returns the entries of a directory, without times. Directories end in "/". Empty if the directory is missing. */
  ls(path: string): Promise<LsResult> {
    return this.#attempt(async (memory) => ({ files: listChildren(await memory.outline(), path) }), plainError);
  }

  /**
   * Reads lines of a file. An offset after the last line is an error.
   * @param offset first line, from 0. @param limit number of lines
   */
  read(filePath: string, offset = 0, limit = 500): Promise<ReadResult> {
    return this.#attempt(
      async (memory) => lineWindow(filePath, await memory.read(filePath), offset, limit),
      missingFile(filePath),
    );
  }

  /** Reads the whole text of a file and its times. Only a snapshot has both. */
  readRaw(filePath: string): Promise<ReadRawResult> {
    return this.#attempt(async (memory) => {
      const { content, createdAt, updatedAt } = new MemoryTree(await memory.snapshot()).file(normalizePath(filePath));
      const times = { created_at: createdAt.toISOString(), modified_at: updatedAt.toISOString() };
      return { data: { content, mimeType: getMediaType(filePath), ...times } };
    }, missingFile(filePath));
  }

  /** Creates a file and its directories, or replaces its text. Refuses paths of binary files, such as images. */
  write(filePath: string, content: string): Promise<WriteResult> {
    return this.#attempt(
      async (memory) => {
        assertTextPath(normalizePath(filePath));
        await memory.write(filePath, content);
        return { path: filePath, filesUpdate: null };
      },
      shownError,
      { tool: "write_file", args: [filePath, content] },
    );
  }

  /**
   * Replaces the only occurrence of `oldString`, or all of them. Both strings are literal, but for line ends, which match
   * whichever kind the file has. Atomic: see the class.
   */
  edit(filePath: string, oldString: string, newString: string, replaceAll = false): Promise<EditResult> {
    return this.#attempt(
      async (memory) => {
        assertText(oldString, "oldString");
        assertText(newString, "newString");
        let before = "";
        let occurrences = 0;
        const edit = (text: string): string => {
          before = text;
          const edited = editText(text, { oldString, newString, replaceAll });
          occurrences = edited.replaced;
          return edited.text;
        };
        const { madeAt } = await memory.edit(filePath, edit).catch(async (error: unknown) => {
          throw error instanceof StringNotFound
            ? new MemoryError("EINVAL", error.message + (await describeNearest(before, oldString)))
            : error;
        });
        // A repeated call does not edit, so it counts the new texts.
        if (madeAt !== undefined) occurrences = replaceAll ? countText(await memory.read(filePath), newString) : 1;
        return { path: filePath, filesUpdate: null, occurrences };
      },
      missingFile(filePath, shownError),
      { tool: "edit_file", args: [filePath, oldString, newString] },
    );
  }

  /**
   * Finds lines that contain a literal text.
   * @param glob compared with names, or, if it has a slash, with paths relative to `path`
   */
  grep(pattern: string, path?: string | null, glob?: string | null, maxCount?: number | null): Promise<GrepResult> {
    return this.#attempt(async (memory, signal) => {
      assertText(pattern, "pattern");
      if (glob !== undefined && glob !== null) assertText(glob, "glob");
      const query = { pattern, path: path ?? ROOT, glob: glob ?? null, maxCount: maxCount ?? Number.POSITIVE_INFINITY };
      return grepFiles(await memory.snapshot(), query, signal);
    }, shownError);
  }

  /** Finds files, without times. */
  glob(pattern: string, path: string = ROOT): Promise<GlobResult> {
    return this.#attempt(async (memory, signal) => {
      assertText(pattern, "pattern");
      return { files: await findFiles(await memory.outline(), { pattern, path }, signal) };
    }, plainError);
  }

  /** Removes a file, or a directory with everything below it, in one step. The root is emptied but stays. */
  delete(filePath: string): Promise<DeleteResult> {
    return this.#attempt(
      async (memory) => {
        const { files, dirs } = await memory.delete(filePath);
        if (files + dirs === 0 && normalizePath(filePath) !== ROOT) return { error: `Error: ${notFound(filePath)}` };
        return { path: filePath, filesUpdate: null };
      },
      shownError,
      { tool: "delete", args: [filePath] },
    );
  }

  /** @throws TypeError for anything but a list */
  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    if (!Array.isArray(paths)) throw wrongArgument("downloadFiles: paths", "a list of paths", paths);
    const encoder = new TextEncoder();
    return this.#attempt(
      async (memory) => {
        // Several files come from one snapshot. A single file is read directly.
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

  /**
   * Writes the files one after the other. If a path occurs twice, the later content stays. UTF-8 only.
   * @throws TypeError for anything but pairs of path and content
   */
  async uploadFiles(files: [path: string, content: Uint8Array][]): Promise<FileUploadResponse[]> {
    if (!Array.isArray(files) || !files.every(Array.isArray))
      throw wrongArgument("uploadFiles: files", "a list of pairs [path, content]", files);
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
    change?: ChangeOfTool,
  ): Promise<Answer | Failure> {
    // Undefined outside a run. The type of `getConfig` omits this.
    const config: LangGraphRunnableConfig | undefined = getConfig();
    config?.signal?.throwIfAborted();
    try {
      const run = addToolCallOfTask(getMemoryRun(config));
      const memory = await openMemoryForRun(this.#source, run);
      if (change !== undefined) getBinding(run).call = identifyOnlyChange(run, change.tool, change.args);
      return await operate(memory.with({ paths: "posix" }), config?.signal ?? null);
    } catch (error) {
      return fail(toFailure(error, config?.signal, "EIO: the memory could not be opened"));
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

  #report(failure: MemoryError): void {
    reportFailure(failure, this.#onError, warn);
  }
}

/** The change of a tool of deepagents. A task that runs again makes it once. */
interface ChangeOfTool {
  tool: "write_file" | "edit_file" | "delete";
  args: string[];
}

type ErrorAnswer = { error: string };

const notFound = (path: string): string => `File '${path}' not found`;

/** Formats an error for the tools that add "Error" themselves: `ls`, `read_file` and `glob`. */
function plainError({ message }: MemoryError): ErrorAnswer {
  return { error: message };
}

/** Formats an error for the tools that show it to a model unchanged. */
function shownError({ message }: MemoryError): ErrorAnswer {
  return { error: `Error: ${message}` };
}

/** Answers for a directory as for a missing file, like deepagents' own backends. */
function missingFile(
  path: string,
  inWords: (failure: MemoryError) => ErrorAnswer = plainError,
): (failure: MemoryError) => ErrorAnswer {
  return (failure) => {
    const isMissing = failure.code === "ENOENT" || failure.code === "EISDIR";
    return inWords(isMissing ? new MemoryError(failure.code, notFound(path), { cause: failure }) : failure);
  };
}
