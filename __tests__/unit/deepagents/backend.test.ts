import assert from "node:assert/strict";
import { RunnableLambda } from "@langchain/core/runnables";
import { GraphInterrupt } from "@langchain/langgraph";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { type Memory, type MemoryError, MemoryNode, type MemoryOptions, openMemory } from "../../../src/index.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { changesBetween, quote, readMarked, testTranscript, textsOf, writeGiven } from "../../helpers/transcripts.js";

type Act = (backend: DeepAgentsBackend) => Promise<unknown>;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function start(options?: MemoryOptions): { memory: Memory; backend: DeepAgentsBackend } {
  const memory = openMemory(new FailingStore(), freshAddress(), options);
  return { memory, backend: new DeepAgentsBackend(memory) };
}

async function startWith(files: Record<string, string>): Promise<{ memory: Memory; backend: DeepAgentsBackend }> {
  const { memory, backend } = start();
  for (const [path, text] of Object.entries(files)) await memory.write(path, text);
  return { memory, backend };
}

describe("the backend answers as its transcript says", () => {
  // What deepagents' own backends answer alike stands in the differential test.
  testTranscript("deepagents", async (given) => {
    const { memory, backend } = start(readMarked(given, "memory"));
    await writeGiven(memory, given);
    const lines: string[] = [];
    let before = await textsOf(memory);
    for (const line of given) {
      lines.push(line);
      const [, method = "", args = ""] = /^> (\w+) (.*)$/.exec(line) ?? [];
      if (method === "") continue;
      const call = Reflect.get(backend, method) as (...args: unknown[]) => Promise<{ error?: string }>;
      const answer = await call.apply(backend, JSON.parse(args) as unknown[]);
      const after = await textsOf(memory);
      lines.push(`${answer.error === undefined ? "|" : "!"} ${quote(answer)}`, ...changesBetween(before, after));
      before = after;
    }
    return lines;
  });

  it("in windows of 500 lines unless told otherwise, and all for an infinite limit", async () => {
    const { backend } = await startWith({ "/f": "line\n".repeat(501) });
    expect(await backend.read("/f")).toMatchObject({ endLine: 500, nextOffset: 500 });
    expect(await backend.read("/f", 0, Number.POSITIVE_INFINITY)).toMatchObject({ endLine: 501 });
  });
});

describe("globs", () => {
  it("that are longer than a path are refused", async () => {
    const error = "invalid glob pattern: longer than 1024 characters";
    expect(await start().backend.glob("x".repeat(1025))).toEqual({ error });
  });

  // As regular expressions, which deepagents' own backends make of them, these take from minutes to longer than anyone
  // waits.
  it.each([
    "*a*a*a*a/*a*a*a*ab",
    "*a".repeat(500) + "b",
    "**/".repeat(300) + "b",
    "{a,aa}".repeat(100) + "b",
    "{,a}".repeat(200) + "b",
    "*.*a*a*a*{a,*a*a}b",
  ])("come to an end among long names (%#)", async (pattern) => {
    const name = `/${"a".repeat(250)}`;
    const { backend } = await startWith({ [name.repeat(3)]: "x", [`${name}/f`]: "x", [name.slice(0, -1)]: "x" });
    expect((await backend.glob(pattern)).files).toEqual([]);
  });
});

describe("a text", () => {
  it("comes back byte for byte by a download, a byte order mark too, and with its times by readRaw", async () => {
    const { memory, backend } = start();
    const content = bytes("\ufeffä\r\n😀");
    const uploads: [string, Uint8Array][] = [
      ["/f.md", content],
      ["/empty", bytes("")],
    ];
    expect(await backend.uploadFiles(uploads)).toEqual(uploads.map(([path]) => ({ path, error: null })));
    const paths = uploads.map(([path]) => path);
    expect(await backend.downloadFiles(paths)).toEqual(
      uploads.map(([path, each]) => ({ path, content: each, error: null })),
    );
    expect(await backend.downloadFiles(["/f.md"])).toEqual([{ path: "/f.md", content, error: null }]);
    const { createdAt } = (await memory.stat("/f.md")) as { createdAt: Date };
    expect((await backend.readRaw("f.md")).data).toMatchObject({
      content: "\ufeffä\r\n😀",
      mimeType: "text/markdown",
      created_at: createdAt.toISOString(),
      modified_at: expect.any(String),
    });
  });

  it("is told for each upload", async () => {
    const told: string[] = [];
    const { memory } = start();
    const backend = new DeepAgentsBackend(memory, { onError: ({ code }) => told.push(code) });
    const uploads: [string, Uint8Array, string | null][] = [
      ["/f", bytes("old"), null],
      ["/f/below", bytes("x"), "invalid_path"],
      ["/b.png", Uint8Array.of(0x89, 0x50, 0x4e, 0x47), "permission_denied"],
      ["/", bytes("x"), "is_directory"],
      ["/f", bytes("new"), null],
    ];
    const answers = await backend.uploadFiles(uploads.map(([path, content]) => [path, content]));
    expect(answers.map(({ error }) => error)).toEqual(uploads.map(([, , error]) => error));
    expect(told).toEqual(["EACCES"]);
    expect((await memory.snapshot()).files.map(({ path, content }) => [path, content])).toEqual([["/f", "new"]]);
  });
});

const methods: [string, Act][] = [
  ["ls", (backend) => backend.ls("/")],
  ["read", (backend) => backend.read("/f")],
  ["readRaw", (backend) => backend.readRaw("/f")],
  ["write", (backend) => backend.write("/f", "x")],
  ["edit", (backend) => backend.edit("/f", "a", "b")],
  ["grep", (backend) => backend.grep("a")],
  ["glob", (backend) => backend.glob("*")],
  ["delete", (backend) => backend.delete("/f")],
];
const transfers: [string, Act][] = [
  ["download of one file", (backend) => backend.downloadFiles(["/f"])],
  ["download of two files", (backend) => backend.downloadFiles(["/f", "/g"])],
  ["upload", (backend) => backend.uploadFiles([["/f", new Uint8Array()]])],
];

/** A run of LangChain, which a backend knows by AsyncLocalStorage alone. */
const inRun = <T>(
  config: { configurable?: Record<string, unknown>; signal?: AbortSignal },
  run: () => Promise<T>,
): Promise<T> => RunnableLambda.from<null, T>(run as () => Promise<never>).invoke(null, config);

afterEach(() => {
  jest.restoreAllMocks();
});

function openAway(onError?: (error: MemoryError) => unknown): DeepAgentsBackend {
  const store = new FailingStore();
  store.isAway = true;
  return new DeepAgentsBackend(openMemory(store, freshAddress()), onError && { onError });
}

describe("a storage that fails", () => {
  it.each(methods)("is the answer of %s, without a word of the host", async (_name, call) => {
    expect(await call(openAway())).toEqual({ error: expect.stringMatching(/^(?:Error: )?EIO: (?!.*example)/) });
  });

  it.each(transfers)("is told to onError by the %s, which denies permission", async (_name, call) => {
    const told: MemoryError[] = [];
    const answers = (await call(openAway((error) => told.push(error)))) as { error: string }[];
    expect(new Set(answers.map(({ error }) => error))).toEqual(new Set(["permission_denied"]));
    expect(told.map(({ code }) => code)).toEqual(["EIO"]);
  });

  it.each<[string, () => unknown]>([
    ["throws", () => assert.fail("hook")],
    ["rejects", () => Promise.reject(new Error("hook"))],
  ])("is a warning of the process where onError %s", async (_how, onError) => {
    const warnings: string[] = [];
    jest.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
    expect(await openAway(onError).downloadFiles(["/f"])).toMatchObject([{ error: "permission_denied" }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([expect.stringMatching(/^deepagents continues without a file of the memory: EIO: /)]);
  });
});

describe("the memory of a run", () => {
  const node = new MemoryNode({ store: new FailingStore(), nodeId: "threads", scope: "perThread" });

  it.each([undefined, { $ne: null }])("is missing where the thread is %j, as every method says", async (thread_id) => {
    const told: string[] = [];
    const backend = new DeepAgentsBackend(node, { onError: ({ message }) => told.push(message) });
    await inRun({ configurable: { thread_id } }, async () => {
      const error: unknown = expect.stringMatching(/^(?:Error: )?thread_id is required for perThread scope/);
      for (const [, call] of methods) expect(await call(backend)).toEqual({ error });
      expect(await backend.downloadFiles(["/f"])).toEqual([{ path: "/f", content: null, error: "permission_denied" }]);
      expect(told).toEqual([error]);
    });
  });

  it("is that of its thread", async () => {
    const backend = new DeepAgentsBackend(node);
    for (const thread of ["ada", "bob"]) {
      await inRun({ configurable: { thread_id: thread } }, () => backend.write("/name.txt", thread));
    }
    expect(await node.memory("ada").read("/name.txt")).toBe("ada");
    const seen = await inRun({ configurable: { thread_id: "bob" } }, () => backend.read("/name.txt"));
    expect(seen.content).toBe("bob");
  });

  it("may be chosen by a function, whose failure is an answer too", async () => {
    const { memory } = start();
    const backend = new DeepAgentsBackend(({ threadId }) =>
      threadId === undefined ? assert.fail("secret of the program") : memory,
    );
    expect(await backend.ls("/")).toEqual({ error: "EIO: the memory could not be opened" });
    expect(await inRun({ configurable: { thread_id: "t" } }, () => backend.ls("/"))).toEqual({ files: [] });
  });
});

describe("an interrupt or an abort", () => {
  /** What the call itself comes to: LangChain ends an aborted run whatever becomes of it. */
  const getOutcome = (abort: AbortController, call: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve) => {
      const run = inRun({ signal: abort.signal }, async () =>
        resolve(
          await call().then(
            () => "answered",
            (error: Error) => error.message,
          ),
        ),
      );
      run.catch(() => {});
    });

  it.each([...methods, ...transfers])(
    "passes through %s, keeps it from beginning, and ends it",
    async (_name, call) => {
      const interrupted = new DeepAgentsBackend(() => {
        throw new GraphInterrupt();
      });
      await expect(call(interrupted)).rejects.toBeInstanceOf(GraphInterrupt);
      for (const isBefore of [true, false]) {
        const abort = new AbortController();
        const stop = (): void => abort.abort(new Error("stopped"));
        const backend = new DeepAgentsBackend(() => {
          stop();
          throw new Error("closed");
        });
        const outcome = await getOutcome(abort, () => {
          if (isBefore) stop();
          return call(isBefore ? start().backend : backend);
        });
        expect(outcome).toBe("stopped");
      }
    },
  );
});

describe("the constructor", () => {
  it.each([undefined, null, {}, "memory"])("refuses %p for a memory", (memory) => {
    expect(() => new DeepAgentsBackend(memory as never)).toThrow(TypeError);
  });

  it.each([
    [{ onError: "log" }, "invalid DeepAgentsBackendOptions: onError: expected a function"],
    [{ root: "/" }, "invalid DeepAgentsBackendOptions: "],
  ])("refuses the options %j", (options, message) => {
    expect(() => new DeepAgentsBackend(start().memory, options as never)).toThrow(message);
  });

  it("makes nothing that deepagents would take for a sandbox", () => {
    const { backend } = start();
    expect(backend).not.toHaveProperty("execute");
    expect(backend).not.toHaveProperty("id");
  });
});
