import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { createAgent } from "langchain";
import {
  type MemoryAddress,
  type MemoryError,
  MemoryTool,
  MemoryNode,
  type MemoryNodeOptions,
  openMemory,
} from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { addressFor } from "../../../src/core/values/address.js";
import type { OwnerOfRun } from "../../../src/graph/owner-of-run.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { shownEntries } from "../../helpers/conversations.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

const store = new InMemoryStore();
const list = { path: "/", command: "list" } as const;
const hello = [new HumanMessage("hello")];
const scopes = [
  { scope: "perThread", field: "threadId", name: "thread_id" },
  { scope: "perUser", field: "userId", name: "user_id" },
] as const;

const warnings: unknown[][] = [];

beforeAll(() => {
  jest.spyOn(process, "emitWarning").mockImplementation((...args: unknown[]) => void warnings.push(args));
});

afterAll(() => {
  jest.restoreAllMocks();
});

/** A node with something in its global memory, and what its tool and its connector do in a run. */
async function watched(options: Partial<MemoryNodeOptions>) {
  const node = new MemoryNode({ ...freshAddress(), store, ...options });
  await node.globalMemory().append("/shared", "x");
  const errors: MemoryError[] = [];
  const connector = node.createConnector({ onError: (error) => errors.push(error) });
  return {
    errors,
    answer: async (config = {}): Promise<{ error?: { code: string; message: string } }> =>
      JSON.parse(await new MemoryTool({ memory: node }).invoke(list, config)),
    shown: async (config = {}): Promise<string[]> => shownEntries(await connector.inject(hello, config)),
    inject: (config = {}) => connector.inject(hello, config),
  };
}

describe("a run without its id", () => {
  it("is warned of once a process, even if only a tool uses the memory", async () => {
    const first = await watched({ scope: "perUser" });
    await first.answer();
    expect(warnings).toEqual([
      [
        expect.stringMatching(
          /^a run cannot use the perUser memory of node ".+": user_id is required for perUser scope$/,
        ),
        { type: "MemoryWarning" },
      ],
    ]);
    const ownerless = scopes.flatMap(({ scope }) => [{ scope }, { mounts: { "/mine": { nodeId: "drafts", scope } } }]);
    for (const options of ownerless) {
      const { answer, shown } = await watched(options);
      await answer();
      await shown();
    }
    expect(warnings).toHaveLength(1);
  });

  it.each(scopes)(
    "of scope $scope is EINVAL to the tool, and told to onError each time, with the global memory shown",
    async ({ scope, field, name }) => {
      const message = `${name} is required for ${scope} scope`;
      const named = { configurable: { [name]: "a client's" } };
      const runs = [
        [{}, {}],
        [{ [field]: () => undefined }, {}],
        [{ [field]: () => null }, named],
        [{ [field]: async () => "" }, named],
      ] as const;
      for (const [owner, config] of runs) {
        const { errors, answer, shown } = await watched({ scope, ...(owner as Partial<MemoryNodeOptions>) });
        expect((await answer(config)).error).toEqual({ code: "EINVAL", message });
        expect([await shown(config), await shown(config)]).toEqual([["/shared"], ["/shared"]]);
        expect(errors.map((error) => [error.code, error.message, error.details])).toEqual([
          ["EINVAL", message, { missingOwner: true }],
          ["EINVAL", message, { missingOwner: true }],
        ]);
      }
    },
  );
});

describe("a run that names a user in a node without a scope", () => {
  const ada = { configurable: { user_id: "ada" } };
  const shared = { context: { userId: "ada" } };
  const ofScope = (): unknown[][] => warnings.filter(([message]) => String(message).includes("has no scope"));

  it("is warned of once for each node of the process", async () => {
    const { nodeId } = freshAddress();
    const before = ofScope().length;
    for (const config of [ada, shared, ada]) {
      const { answer, shown } = await watched({ nodeId });
      await shown(config);
      await answer(config);
    }
    expect(ofScope().slice(before)).toEqual([
      [
        `a run names a user, but node "${nodeId}" has no scope, so all users share its notes; write ` +
          'scope: "perUser" to give each user a memory, or scope: "global" to share one',
        { type: "MemoryWarning" },
      ],
    ]);
    await (await watched({})).answer(ada);
    expect(ofScope()).toHaveLength(before + 2);
  });

  it("is not warned of if the program chose a scope, mounts memories, or the run names no user", async () => {
    const before = warnings.length;
    for (const options of [
      { scope: "global" },
      { scope: "perUser" },
      { mounts: { "/team": { nodeId: "team" } } },
    ] as const) {
      const { answer, shown } = await watched(options);
      await answer(ada);
      await shown(ada);
    }
    await (await watched({})).answer({ configurable: { thread_id: "monday" } });
    expect(warnings).toHaveLength(before);
  });
});

describe("an id that is no text", () => {
  it.each([
    [{ configurable: { user_id: 7, langgraph_auth_user_id: undefined }, context: { userId: "ada" } }, "7"],
    [{ configurable: { langgraph_auth_user_id: 7, user_id: "ada" } }, "7"],
    [{ context: { userId: { $ne: null }, user_id: "ada" } }, "an object"],
  ])("in %j is refused alike by tool and connector, and no other id is taken", async (config, given) => {
    const { errors, answer, shown } = await watched({ scope: "perUser" });
    const message = `user_id is required for perUser scope: a non-empty string (given ${given})`;
    expect((await answer(config)).error).toEqual({ code: "EINVAL", message });
    expect(await shown(config)).toEqual([]);
    expect(errors.map((error) => [error.code, error.message])).toEqual([["EINVAL", message]]);
  });

  it.each(scopes)("answered by a function for $scope is refused likewise", async ({ scope, field, name }) => {
    for (const [value, given] of [
      [7, "7"],
      [["ada"], "a list"],
      [true, "true"],
    ] as const) {
      const { errors, answer, shown } = await watched({ scope, [field]: async () => value as never });
      const message = `${name} is required for ${scope} scope: a non-empty string (given ${given})`;
      const config = { configurable: { [name]: "ada" } };
      expect((await answer(config)).error).toEqual({ code: "EINVAL", message });
      expect(await shown(config)).toEqual([]);
      expect(errors.map((error) => error.message)).toEqual([message]);
    }
  });

  it("is no function either: a node takes nothing else for one", () => {
    for (const { scope, field } of scopes) {
      expect(() => new MemoryNode({ nodeId: "n", scope, [field]: "ada" as never })).toThrow(
        `${field}: must be a function from a run to an id`,
      );
    }
  });
});

describe.each(scopes)("a function for the $field", ({ scope, field, name }) => {
  const nodeWith = (owner: OwnerOfRun, more: Partial<MemoryNodeOptions> = {}) =>
    watched({ scope, [field]: owner, ...more });
  const config = { configurable: { [name]: "ada" } };

  const fail = (): never => {
    throw new Error("no session: hunter2");
  };

  it.each<[string, OwnerOfRun]>([
    ["at once", fail],
    ["later", async () => fail()],
  ])("that throws %s is EINVAL, without its words", async (_when, owner) => {
    const { errors, answer, shown } = await nodeWith(owner);
    const { code, message } = (await answer(config)).error ?? {};
    expect([code, message]).toEqual([
      "EINVAL",
      expect.stringMatching(new RegExp(`the function ${field} of node .+ failed$`)),
    ]);
    expect(await shown(config)).toEqual([]);
    expect(errors.map((error) => [error.message, (error.cause as Error).message])).toEqual(
      [[message, "no session: hunter2"]].map(([text, cause]) => [expect.stringContaining(text ?? ""), cause]),
    );
  });

  it("that never answers is EIO when the time is up", async () => {
    const { errors, answer, shown } = await nodeWith(() => new Promise(() => undefined), { timeoutMs: 20 });
    expect((await answer(config)).error).toEqual({ code: "EIO", message: "EIO: no answer within 20 ms (timeoutMs)" });
    expect(await shown(config)).toEqual([]);
    expect(errors.map(({ code }) => code)).toEqual(["EIO"]);
  });

  it("that never answers ends when the run is aborted", async () => {
    const reason = new Error("stopped by the user");
    for (const use of ["answer", "inject"] as const) {
      const controller = new AbortController();
      const { errors, ...uses } = await nodeWith(() => (controller.abort(reason), new Promise(() => undefined)));
      await expect(uses[use]({ ...config, signal: controller.signal })).rejects.toThrow("stopped by the user");
      expect(errors).toEqual([]);
    }
  });

  it("may interrupt the run to ask a person, and is answered when the run goes on", async () => {
    const node = new MemoryNode({
      ...freshAddress(),
      store,
      scope,
      [field]: () => interrupt("who are you?") as string,
    });
    await node.memory("ada").append("/own", "x");
    const model = new ScriptedChatModel(() => "done");
    const agent = createAgent({
      model,
      tools: [],
      middleware: [memoryMiddleware({ memory: node })],
      checkpointer: new MemorySaver(),
    });
    const run = { configurable: { thread_id: "1" } };
    expect(await agent.invoke({ messages: hello }, run)).toMatchObject({ __interrupt__: [{ value: "who are you?" }] });
    await agent.invoke(new Command({ resume: "ada" }), run);
    expect(model.calls.map(shownEntries)).toEqual([["/own"]]);
  });
});

describe("a function that chooses the memory", () => {
  it("and never answers ends when the run is aborted", async () => {
    const controller = new AbortController();
    const tool = new MemoryTool({
      memory: () => (controller.abort(new Error("stopped by the user")), new Promise(() => undefined)),
    });
    await expect(tool.invoke(list, { signal: controller.signal })).rejects.toThrow("stopped by the user");
  });
});

it("the types of an address need the thread or the user of its scope", () => {
  // @ts-expect-error threadId is missing
  const thread: MemoryAddress = { nodeId: "n", scope: "perThread" };
  // @ts-expect-error userId is missing
  const user: MemoryAddress = { nodeId: "n", scope: "perUser" };
  for (const address of [thread, user]) expect(() => openMemory(store, address)).toThrow(/is required/);
});

it.each(["global", "perThread"] as const)(
  "a listed address of scope %s with a user says how the address of a user is",
  (scope) => {
    const listed = addressFor("n", scope, "chat-1");
    expect(() => openMemory(store, { ...listed, userId: "ada" } as MemoryAddress)).toThrow(
      `an address of scope "${scope}" has no userId; did you mean "perUser"? Its address is ` +
        '{ nodeId, scope: "perUser", userId }',
    );
  },
);
