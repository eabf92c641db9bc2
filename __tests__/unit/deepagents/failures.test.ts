import assert from "node:assert/strict";
import { RunnableLambda } from "@langchain/core/runnables";
import { GraphInterrupt } from "@langchain/langgraph";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { type MemoryError, MemoryNode, openMemory } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { FailingStore } from "../../helpers/failing-store.js";

const methods: [string, (backend: DeepAgentsBackend) => Promise<unknown>][] = [
  ["ls", (backend) => backend.ls("/")],
  ["read", (backend) => backend.read("/f")],
  ["readRaw", (backend) => backend.readRaw("/f")],
  ["write", (backend) => backend.write("/f", "x")],
  ["edit", (backend) => backend.edit("/f", "a", "b")],
  ["grep", (backend) => backend.grep("a")],
  ["glob", (backend) => backend.glob("*")],
  ["delete", (backend) => backend.delete("/f")],
];

const transfers: [string, (backend: DeepAgentsBackend) => Promise<unknown>][] = [
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

describe("a storage that fails", () => {
  it.each(methods)("is the answer of %s, without a word of the host", async (_name, call) => {
    const store = new FailingStore();
    const backend = new DeepAgentsBackend(openMemory(store, freshAddress()));
    store.isAway = true;
    const answer = (await call(backend)) as { error?: string };
    expect(Object.keys(answer)).toEqual(["error"]);
    expect(answer.error).toMatch(/^(?:Error: )?EIO: /);
    expect(answer.error).not.toContain("example");
  });

  it.each(transfers)("is told to onError by the %s, which denies permission", async (_name, call) => {
    const store = new FailingStore();
    const told: MemoryError[] = [];
    const backend = new DeepAgentsBackend(openMemory(store, freshAddress()), { onError: (error) => told.push(error) });
    store.isAway = true;
    const answers = (await call(backend)) as { error: string }[];
    expect(new Set(answers.map(({ error }) => error))).toEqual(new Set(["permission_denied"]));
    expect(told.map(({ code }) => code)).toEqual(["EIO"]);
  });

  it.each<[string, () => unknown]>([
    ["throws", () => assert.fail("hook")],
    ["rejects", () => Promise.reject(new Error("hook"))],
  ])("is a warning of the process where onError %s", async (_how, onError) => {
    const warnings: string[] = [];
    jest.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
    const store = new FailingStore();
    store.isAway = true;
    const backend = new DeepAgentsBackend(openMemory(store, freshAddress()), { onError });
    expect(await backend.downloadFiles(["/f"])).toEqual([{ path: "/f", content: null, error: "permission_denied" }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([expect.stringMatching(/^deepagents continues without a file of the memory: EIO: /)]);
  });
});

describe("an argument that is no text", () => {
  const calls: [string, (backend: DeepAgentsBackend) => Promise<unknown>, RegExp][] = [
    ["the path of write", (backend) => backend.write(undefined as never, "x"), /^Error: path is required$/],
    ["the content of write", (backend) => backend.write("/f", 1 as never), /^Error: content must be a string/],
    [
      "the old text of edit",
      (backend) => backend.edit("/f", null as never, "x"),
      /^Error: oldString must be a string$/,
    ],
    ["the new text of edit", (backend) => backend.edit("/f", "a", {} as never), /^Error: newString must be a string$/],
    ["the pattern of grep", (backend) => backend.grep({ $ne: "" } as never), /^Error: pattern must be a string$/],
    ["the glob of grep", (backend) => backend.grep("a", "/", 1 as never), /^Error: glob must be a string$/],
    ["the pattern of glob", (backend) => backend.glob(undefined as never), /^pattern must be a string$/],
  ];

  it.each(calls)("is named in the answer, which is no failure of the memory: %s", async (_name, call, message) => {
    const memory = openMemory(new FailingStore(), freshAddress());
    await memory.write("/f", "a");
    expect(await call(new DeepAgentsBackend(memory))).toEqual({ error: expect.stringMatching(message) });
  });
});

describe("the memory of a run", () => {
  const node = new MemoryNode({ store: new FailingStore(), nodeId: "threads", scope: "perThread" });

  it.each(methods)("is missing where there is no thread: %s says so", async (_name, call) => {
    expect(await call(new DeepAgentsBackend(node))).toEqual({
      error: expect.stringMatching(/^(?:Error: )?thread_id is required for perThread scope$/),
    });
  });

  it("is missing for transfers too", async () => {
    const told: string[] = [];
    const backend = new DeepAgentsBackend(node, { onError: ({ message }) => told.push(message) });
    expect(await backend.downloadFiles(["/f"])).toEqual([{ path: "/f", content: null, error: "permission_denied" }]);
    expect(told).toEqual(["thread_id is required for perThread scope"]);
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

  it("is not chosen by a thread id that is no string", async () => {
    const answer = await inRun({ configurable: { thread_id: { $ne: null } } }, () =>
      new DeepAgentsBackend(node).ls("/"),
    );
    expect(answer).toEqual({ error: expect.any(String) });
  });

  it("may be chosen by a function, whose failure is an answer too", async () => {
    const memory = openMemory(new FailingStore(), freshAddress());
    const backend = new DeepAgentsBackend(({ threadId }) => {
      if (threadId === undefined) throw new Error("secret of the program");
      return memory;
    });
    expect(await backend.ls("/")).toEqual({ error: "EIO: the memory could not be opened" });
    expect(await inRun({ configurable: { thread_id: "t" } }, () => backend.ls("/"))).toEqual({ files: [] });
  });
});

describe("an interrupt or an abort", () => {
  it.each([...methods, ...transfers])("passes through %s", async (_name, call) => {
    const interrupted = new DeepAgentsBackend(() => {
      throw new GraphInterrupt();
    });
    await expect(call(interrupted)).rejects.toBeInstanceOf(GraphInterrupt);
  });

  it.each([...methods, ...transfers])("keeps %s from beginning", async (_name, call) => {
    const backend = new DeepAgentsBackend(openMemory(new FailingStore(), freshAddress()));
    expect(await getOutcome(new AbortController(), { before: true }, () => call(backend))).toBe("stopped");
  });

  it.each([...methods, ...transfers])(
    "ends %s by the reason of the abort, where its storage fails meanwhile",
    async (_name, call) => {
      const abort = new AbortController();
      const backend = new DeepAgentsBackend(() => {
        abort.abort(new Error("stopped"));
        throw new Error("closed");
      });
      expect(await getOutcome(abort, { before: false }, () => call(backend))).toBe("stopped");
    },
  );

  /** What the call itself comes to: LangChain ends an aborted run whatever becomes of it. */
  function getOutcome(
    abort: AbortController,
    { before }: { before: boolean },
    call: () => Promise<unknown>,
  ): Promise<unknown> {
    return new Promise((resolve) => {
      const run = inRun({ signal: abort.signal }, async () => {
        if (before) abort.abort(new Error("stopped"));
        resolve(
          await call().then(
            () => "answered",
            (error: Error) => error.message,
          ),
        );
      });
      run.catch(() => {});
    });
  }
});

describe("the constructor", () => {
  it.each([undefined, null, {}, "memory"])("refuses %p for a memory", (memory) => {
    expect(() => new DeepAgentsBackend(memory as never)).toThrow(TypeError);
  });

  it("refuses bad options", () => {
    const memory = openMemory(new FailingStore(), freshAddress());
    expect(() => new DeepAgentsBackend(memory, { onError: "log" } as never)).toThrow(
      "invalid DeepAgentsBackendOptions: onError: expected a function",
    );
    expect(() => new DeepAgentsBackend(memory, { root: "/" } as never)).toThrow(TypeError);
  });

  it("makes nothing that deepagents would take for a sandbox", () => {
    const backend = new DeepAgentsBackend(openMemory(new FailingStore(), freshAddress()));
    expect(backend).not.toHaveProperty("execute");
    expect(backend).not.toHaveProperty("id");
  });
});
