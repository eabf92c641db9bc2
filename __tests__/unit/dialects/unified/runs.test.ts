import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, GraphInterrupt, interrupt, MemorySaver } from "@langchain/langgraph";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { createAgent, createMiddleware } from "langchain";
import { ScriptedChatModel } from "../../../helpers/scripted-chat-model.js";
import { type Memory, openMemory, MemoryTool } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";

const store = new InMemoryStore();
const list = { path: "/", command: "list" } as const;
const listed = '{"command":"list","path":"/","ok":true,"result":{"entries":[]}}';

/** A memory whose `list` does what the test says. */
function memoryThat(run: () => unknown): Memory {
  const memory = openMemory(store, freshAddress());
  const faked: Memory = Object.assign(Object.create(memory) as Memory, {
    list: async () => run(),
    snapshot: async () => run(),
    with: () => faked,
  });
  return faked;
}

class FailingStore extends InMemoryStore {
  readonly failure: unknown;

  constructor(failure: unknown) {
    super();
    this.failure = failure;
  }

  override async batch(): Promise<never> {
    throw this.failure;
  }
}

const secret = "mongodb://admin:hunter2@db.internal:27017/app";

describe("a tool whose storage fails", () => {
  it.each([
    ["an error", new Error(`connect ECONNREFUSED ${secret}`)],
    ["a TypeError", new TypeError(`cannot read properties of ${secret}`)],
    ["a string", secret],
    ["undefined", undefined],
  ])("by %s answers EIO and tells nothing of it", async (_title, failure) => {
    const tool = new MemoryTool({ memory: openMemory(new FailingStore(failure), freshAddress()) });
    for (const args of [
      list,
      { path: "/a", command: "append", content: "x" },
      { path: "/a", command: "delete" },
    ] as const) {
      const answer = await tool.invoke(args);
      expect(JSON.parse(answer)).toMatchObject({ ok: false, error: { code: "EIO" } });
      expect(answer).not.toMatch(/hunter2|db\.internal|mongodb:|node_modules|\.[jt]s\b|\n\s+at /);
    }
  });

  it("or whose source fails, or gives no memory, answers EIO and tells nothing of it", async () => {
    const sources = [
      (): Memory => {
        throw new Error(secret);
      },
      (): Memory => undefined as never,
      (): Memory => ({}) as never,
      (): Memory => memoryThat(() => Promise.reject(new Error(secret))),
    ];
    for (const memory of sources) {
      const answer = await new MemoryTool({ memory }).invoke({
        type: "tool_call",
        id: "1",
        name: "memory",
        args: list,
      });
      expect(answer).toMatchObject({
        status: "error",
        content:
          '{"command":"list","path":"/","ok":false,"error":{"message":"EIO: the memory could not be opened","code":"EIO"}}',
      });
    }
  });
});

describe("interrupts", () => {
  const granted = (): boolean => interrupt("may I?") === "yes";
  const sources: [string, MemoryTool][] = [
    [
      "a source",
      new MemoryTool({ memory: () => (granted() ? openMemory(store, freshAddress()) : (undefined as never)) }),
    ],
    ["a memory", new MemoryTool({ memory: memoryThat(() => (granted() ? [] : null)) })],
  ];

  it("pass through to the caller, whatever the arguments", async () => {
    const stop = (): never => {
      throw new GraphInterrupt([{ value: "may I?" }]);
    };
    for (const tool of [new MemoryTool({ memory: stop }), new MemoryTool({ memory: memoryThat(stop) })]) {
      await expect(tool.invoke(list)).rejects.toBeInstanceOf(GraphInterrupt);
      await expect(tool.invoke({ ...list, content: null } as never)).rejects.toBeInstanceOf(GraphInterrupt);
    }
  });

  it.each(sources)("of %s stop an agent, which goes on when resumed", async (_title, tool) => {
    for (const middleware of [
      [],
      [createMiddleware({ name: "PassOn", wrapToolCall: (request, handler) => handler(request) })],
    ]) {
      const model = new ScriptedChatModel((messages) =>
        ToolMessage.isInstance(messages.at(-1)) ? "done" : { tool: "memory", args: list },
      );
      const agent = createAgent({ model, tools: [tool], middleware, checkpointer: new MemorySaver() });
      const config = { configurable: { thread_id: "1" } };
      const stopped = await agent.invoke({ messages: [new HumanMessage("go")] }, config);
      expect(stopped).toMatchObject({ __interrupt__: [{ value: "may I?" }] });
      const { messages } = await agent.invoke(new Command({ resume: "yes" }), config);
      expect(messages.at(-2)?.text).toBe(listed);
    }
  });
});

describe("aborts", () => {
  it("before the call run nothing, whatever the arguments", async () => {
    let runs = 0;
    const tool = new MemoryTool({ memory: memoryThat(() => (runs += 1)) });
    const reason = new Error("stopped by the user");
    for (const args of [list, { path: "/", command: "list", content: null }, null]) {
      await expect(tool.invoke(args as never, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    }
    expect(runs).toBe(0);
  });

  it("during the call pass on what the source threw", async () => {
    const controller = new AbortController();
    const tool = new MemoryTool({
      memory: memoryThat(async () => {
        controller.abort();
        await sleep(1);
        controller.signal.throwIfAborted();
      }),
    });
    await expect(tool.invoke(list, { signal: controller.signal })).rejects.toHaveProperty("name", "AbortError");
  });
});

class Trace extends BaseCallbackHandler {
  readonly name = "trace";
  override readonly awaitHandlers = true;
  readonly events: unknown[] = [];

  override handleToolStart(
    ...[, input, , , , , runName, toolCallId]: Parameters<NonNullable<BaseCallbackHandler["handleToolStart"]>>
  ): void {
    this.events.push(["start", input, runName, toolCallId]);
  }

  override handleToolEnd(output: unknown): void {
    this.events.push(["end", ToolMessage.isInstance(output) ? [output.status, output.text] : output]);
  }

  override handleToolError(error: unknown): void {
    this.events.push(["error", error]);
  }
}

describe("tracing", () => {
  it("tells the start and the end of a command, a failed one too", async () => {
    const tool = new MemoryTool({ memory: openMemory(store, freshAddress()) });
    const trace = new Trace();
    const config = { callbacks: [trace] };
    await tool.invoke({ type: "tool_call", id: "call-1", name: "memory", args: list }, config);
    await tool.invoke(list, config);
    const read = { path: "/a", command: "read" } as const;
    const refused =
      '{"command":"read","path":"/a","ok":false,"error":{"message":"ENOENT: file not found","code":"ENOENT"}}';
    await tool.invoke({ type: "tool_call", id: "call-2", name: "memory", args: read }, config);
    expect(trace.events).toEqual([
      ["start", JSON.stringify(list), undefined, "call-1"],
      ["end", ["success", listed]],
      ["start", JSON.stringify(list), undefined, undefined],
      ["end", listed],
      ["start", JSON.stringify(read), undefined, "call-2"],
      ["end", ["error", refused]],
    ]);
  });
});

describe("a call inside a run", () => {
  it("that forwards no config finds the run's thread all the same, whatever the arguments", async () => {
    const threads: unknown[] = [];
    const tool = new MemoryTool({
      memory: ({ threadId }) => {
        threads.push(threadId);
        return openMemory(store, freshAddress());
      },
    });
    const caller = createMiddleware({
      name: "Caller",
      beforeModel: async () => {
        await tool.invoke(list);
        await tool.invoke({ path: "/", command: "list", content: null } as never);
      },
    });
    const agent = createAgent({ model: new ScriptedChatModel(() => "done"), tools: [], middleware: [caller] });
    await agent.invoke({ messages: [new HumanMessage("go")] }, { configurable: { thread_id: "thread 7" } });
    expect(threads).toEqual(["thread 7", "thread 7"]);
  });
});
