import { createRequire } from "node:module";
import { describe, expect, it, afterEach, beforeEach } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { ChatAnthropic } from "@langchain/anthropic";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { RunnableBinding } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { AzureChatOpenAI, ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { initChatModel } from "langchain";
import { placeMemory, type PlaceOptions } from "../../../src/prompt/place.js";
import { takesSeparateSystemMessages } from "../../../src/prompt/client-capabilities.js";

const memory = "<memory>notes</memory>";
const user = new HumanMessage("hi");
const cached = { type: "text", text: "cached", cache_control: { type: "ephemeral" } };
const image = { type: "image_url", image_url: { url: "data:," } };

/** What goes out, in short: [type, content]. */
function placed(messages: BaseMessage[], placement: PlaceOptions["placement"], separate: boolean): unknown[] {
  return placeMemory(messages, memory, { placement, separate }).map(({ type, content }) => [type, content]);
}

const text = (content: string): object => ({ type: "text", text: content });

describe("a memory merged into the system message", () => {
  it("folds all leading system messages into one", () => {
    const history = [new SystemMessage("one"), new SystemMessage("two"), user];
    expect(placed(history, "after_system", false)).toEqual([
      ["system", [text("one"), text("\n\ntwo"), text(`\n\n${memory}`)]],
      ["human", "hi"],
    ]);
    expect(placed(history, "before_system", false)).toEqual([
      ["system", [text(`${memory}\n\n`), text("one"), text("\n\ntwo")]],
      ["human", "hi"],
    ]);
  });

  it("leaves system messages alone that come later", () => {
    const late = new SystemMessage("late");
    expect(placed([new SystemMessage("one"), user, late], "after_system", false)).toEqual([
      ["system", [text("one"), text(`\n\n${memory}`)]],
      ["human", "hi"],
      ["system", "late"],
    ]);
  });

  it("keeps blocks with a cache mark and other kinds of blocks as they are", () => {
    expect(placed([new SystemMessage({ content: [cached, image] }), user], "after_system", false)[0]).toEqual([
      "system",
      [cached, image, text(`\n\n${memory}`)],
    ]);
    expect(placed([new SystemMessage({ content: [cached] }), user], "before_system", false)[0]).toEqual([
      "system",
      [text(`${memory}\n\n`), cached],
    ]);
  });

  it("puts the space between two messages where no cache mark is", () => {
    const seams: [BaseMessage[], object[]][] = [
      [
        [new SystemMessage("one"), new SystemMessage({ content: [cached] })],
        [text("one\n\n"), cached],
      ],
      [
        [new SystemMessage({ content: [cached] }), new SystemMessage("two")],
        [cached, text("\n\ntwo")],
      ],
      [
        [new SystemMessage({ content: [cached] }), new SystemMessage({ content: [cached] })],
        [cached, { ...cached, text: "\n\ncached" }],
      ],
      [
        [new SystemMessage("one"), new SystemMessage({ content: [image] })],
        [text("one\n\n"), image],
      ],
      [
        [new SystemMessage({ content: [image] }), new SystemMessage("two")],
        [image, text("\n\ntwo")],
      ],
      [
        [new SystemMessage({ content: [image] }), new SystemMessage({ content: [image] })],
        [image, image],
      ],
    ];
    for (const [history, blocks] of seams) {
      expect(placed(history, "after_system", false)).toEqual([["system", [...blocks, text(`\n\n${memory}`)]]]);
    }
  });

  it.each(["after_system", "before_system"] as const)("never makes or keeps an empty text block (%s)", (placement) => {
    const empty = [
      new SystemMessage(""),
      new SystemMessage({ content: [] }),
      new SystemMessage({ content: [text("") as typeof cached] }),
    ];
    expect(placed([...empty, user], placement, false)).toEqual([
      ["system", memory],
      ["human", "hi"],
    ]);
    const [first] = placed([...empty, new SystemMessage("two"), ...empty], placement, false);
    expect(JSON.stringify(first)).not.toContain('"text":""');
    expect(JSON.stringify(first)).toContain('"text":"two"');
  });

  it("keeps id, name and further fields of the first system message", () => {
    const first = new SystemMessage({
      content: "one",
      id: "s1",
      name: "house",
      additional_kwargs: { __openai_role__: "developer" },
      response_metadata: { source: "prompt" },
    });
    const [merged] = placeMemory([first, new SystemMessage({ content: "two", id: "s2" })], memory, {
      placement: "after_system",
      separate: false,
    });
    expect(merged).toMatchObject({
      id: "s1",
      name: "house",
      additional_kwargs: { __openai_role__: "developer" },
      response_metadata: { source: "prompt" },
    });
  });
});

describe("a memory as a system message of its own", () => {
  const history = [new SystemMessage("one"), new SystemMessage("two"), user];

  it("leaves every other message the object it was", () => {
    for (const placement of ["before_system", "after_system", "last_message"] as const) {
      const others = placeMemory(history, memory, { placement, separate: true }).filter(
        ({ content }) => content !== memory,
      );
      expect(others.map((message, index) => message === history[index])).toEqual([true, true, true]);
    }
  });
});

describe("a memory as the user's message", () => {
  const placedAsUser = (messages: BaseMessage[], placement: PlaceOptions["placement"], separate: boolean): unknown[] =>
    placeMemory(messages, memory, { placement, separate, asUser: true }).map(({ type, content }) => [type, content]);

  it.each([true, false])("comes after the system prompt, which stays as it is, or last (separate: %s)", (separate) => {
    const history = [new SystemMessage("one"), new SystemMessage("two"), user, new AIMessage("hello")];
    const [one, two, hi, hello, shown] = [
      ["system", "one"],
      ["system", "two"],
      ["human", "hi"],
      ["ai", "hello"],
      ["human", memory],
    ];
    expect(placedAsUser(history, "after_system", separate)).toEqual([one, two, shown, hi, hello]);
    expect(placedAsUser(history, "before_system", separate)).toEqual([one, two, shown, hi, hello]);
    expect(placedAsUser(history, "last_message", separate)).toEqual([one, two, hi, hello, shown]);
    expect(placedAsUser([user], "before_system", separate)).toEqual([shown, hi]);
  });
});

describe("placing", () => {
  it("recognises system messages of the other build of LangChain", () => {
    const commonJS = createRequire(import.meta.url)("@langchain/core/messages") as {
      SystemMessage: typeof SystemMessage;
    };
    const foreign = new commonJS.SystemMessage("be kind");
    expect(Object.getPrototypeOf(foreign)).not.toBe(SystemMessage.prototype);
    expect(placed([foreign, user], "after_system", false)).toEqual([
      ["system", [text("be kind"), text(`\n\n${memory}`)]],
      ["human", "hi"],
    ]);
  });

  it("changes neither the array given nor its messages, and says the same when asked again", () => {
    for (const placement of ["before_system", "after_system", "last_message"] as const) {
      for (const separate of [true, false]) {
        const history = [new SystemMessage("one"), new SystemMessage({ content: [cached], id: "s2" }), user];
        const before = JSON.stringify(history);
        const copy = [...history];
        Object.freeze(history);
        const once = placeMemory(history, memory, { placement, separate });
        expect(JSON.stringify(history)).toBe(before);
        expect(history).toEqual(copy);
        expect(once).not.toBe(history);
        expect(JSON.stringify(placeMemory(history, memory, { placement, separate }))).toBe(JSON.stringify(once));
      }
    }
  });
});

const tools = [{ type: "function" as const, function: { name: "t", parameters: { type: "object", properties: {} } } }];
const openAI = (configuration?: ConstructorParameters<typeof ChatOpenAI>[0]): ChatOpenAI =>
  new ChatOpenAI({ apiKey: "key", model: "gpt-4o", ...configuration });
const azureFields = { azureOpenAIApiKey: "key", azureOpenAIApiDeploymentName: "d", azureOpenAIApiVersion: "v" };
const azure = (fields: ConstructorParameters<typeof AzureChatOpenAI>[0] = { azureOpenAIApiInstanceName: "mine" }) =>
  new AzureChatOpenAI({ ...azureFields, ...fields });

const variables = [
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OPENAI_API_BASE",
  "LANGSMITH_GATEWAY",
  "AZURE_OPENAI_API_KEY",
  "AZURE_OPENAI_BASE_PATH",
  "AZURE_OPENAI_ENDPOINT",
  "AZURE_OPENAI_API_INSTANCE_NAME",
];
const before = Object.fromEntries(variables.map((name) => [name, process.env[name]]));

function clearVariables(): void {
  for (const name of variables) delete process.env[name];
}

beforeEach(clearVariables);
afterEach(() => {
  clearVariables();
  for (const [name, value] of Object.entries(before)) if (value !== undefined) process.env[name] = value;
});

const withBase = (baseURL: string) => (): ChatOpenAI => openAI({ configuration: { baseURL } });
const withEndpoint = (azureOpenAIEndpoint: string) => (): AzureChatOpenAI => azure({ azureOpenAIEndpoint });
/** Makes a client while a variable of the environment is set, which is cleared after the test. */
const withVariable = (name: string, value: string, create: () => unknown) => (): unknown => {
  process.env[name] = value;
  return create();
};

class ChatElsewhere extends ChatOpenAI {}
class ElsewhereCompletions extends ChatOpenAICompletions {}
class ChatOpenAIAlike {
  static lc_name = (): string => "ChatOpenAI";
  clientConfig = {};
}
const fields = { apiKey: "key", model: "m" };
const createClaude = () => new ChatAnthropic({ apiKey: "key", model: "claude-sonnet-4-5" });
const onAzurePath = "https://mine.openai.azure.us/openai/deployments";

type Client = [name: string, create: () => unknown];

const ofOpenAI: Client[] = [
  ["OpenAI", openAI],
  ["responses", () => openAI({ useResponsesApi: true })],
  ["a reasoning model", () => openAI({ model: "o3" })],
  ["OpenAI's own address", withBase("https://api.openai.com/v1")],
  ["OpenAI's address of a region", withBase("https://eu.api.openai.com/v1")],
  ["Azure by its instance", azure],
  ["Azure by its endpoint", withEndpoint("https://mine.openai.azure.com")],
  ["Azure by its path", () => azure({ azureOpenAIBasePath: onAzurePath })],
  [
    "Azure by a variable",
    withVariable("AZURE_OPENAI_ENDPOINT", "https://mine.cognitiveservices.azure.com/", () => azure({})),
  ],
];

const others: Client[] = [
  ["a local server", withBase("http://localhost:8000/v1")],
  ["another provider's server", withBase("https://openrouter.ai/api/v1")],
  ["a host that begins as OpenAI's", withBase("https://api.openai.com.example.org/v1")],
  ["a host that ends as OpenAI's", withBase("https://notapi.openai.com.example/v1")],
  ["what is no address", withBase("not a url")],
  ["a gateway of Azure", withEndpoint("https://gateway.example")],
  ["a host that begins as Azure's", withEndpoint("https://openai.azure.com.example")],
  ["a path of another host", () => azure({ azureOpenAIBasePath: "https://gateway.example" })],
  ["Azure without an address", () => azure({})],
  ...["OPENAI_BASE_URL", "OPENAI_API_BASE", "LANGSMITH_GATEWAY"].map((name): Client => [
    name,
    withVariable(name, "https://proxy.example/v1", openAI),
  ]),
  ["AZURE_OPENAI_BASE_PATH", withVariable("AZURE_OPENAI_BASE_PATH", "https://proxy.example", azure)],
  ["another provider of the SDK", () => openAI({ configuration: { provider: { name: "bedrock" } } as object })],
  ["another provider's class inside", () => new ElsewhereCompletions(fields)],
  // With tools it is a plain ChatOpenAI that keeps the other provider's client inside.
  ["another provider's client", () => new ChatElsewhere({ ...fields, completions: new ElsewhereCompletions(fields) })],
  ["Anthropic", createClaude],
  ["Google", () => new ChatGoogleGenerativeAI({ apiKey: "key", model: "gemini-2.5-flash" })],
  ["a fake", () => new FakeListChatModel({ responses: ["hi"] })],
  ["a model with fallbacks", () => openAI().withFallbacks([createClaude()])],
  ["an object that looks like a client", () => new ChatOpenAIAlike()],
  ...[undefined, null, "gpt-4o", 1, () => {}, {}, [], Object.create(null), { bound: null }, { clientConfig: {} }].map(
    (unknown: unknown): Client => [`what cannot be known: ${typeof unknown}`, () => unknown],
  ),
];

/** A client, and what programs make of it. */
function variantsOf(model: unknown): unknown[] {
  if (!(model instanceof BaseChatModel) || model.bindTools === undefined || model instanceof FakeListChatModel)
    return [model];
  const bound = model.bindTools(tools);
  return [model, bound, bound.withConfig({ tags: ["t"] }), model.withRetry()];
}

describe("several system messages", () => {
  it.each(ofOpenAI)("are taken by %s, plain, bound and with tools", (_name, create) => {
    for (const variant of variantsOf(create())) expect(takesSeparateSystemMessages(variant)).toBe(true);
  });

  it.each(others)("are not taken by %s", (_name, create) => {
    for (const variant of variantsOf(create())) expect(takesSeparateSystemMessages(variant)).toBe(false);
  });

  it("are not taken where OPENAI_BASE_URL is set only after the model was made", () => {
    const model = openAI();
    process.env["OPENAI_BASE_URL"] = "https://proxy.example/v1";
    expect(takesSeparateSystemMessages(model)).toBe(false);
  });
});

it("several system messages are not taken by another provider's class, which is a ChatOpenAI with tools alone", () => {
  expect(takesSeparateSystemMessages(new ChatElsewhere(fields))).toBe(false);
});

describe("models made by initChatModel", () => {
  beforeEach(() => {
    process.env["OPENAI_API_KEY"] = "key";
  });

  it("are judged by the provider they name or imply", async () => {
    for (const name of ["openai:gpt-4o", "gpt-4o", "openai:ft-mine"]) {
      const model = await initChatModel(name);
      expect(takesSeparateSystemMessages(model)).toBe(true);
      expect(takesSeparateSystemMessages(model.bindTools(tools))).toBe(true);
      expect(takesSeparateSystemMessages(model.withConfig({ tags: ["t"] }))).toBe(true);
    }
    const claude = await initChatModel("anthropic:claude-sonnet-4-5", { apiKey: "key" });
    expect(takesSeparateSystemMessages(claude)).toBe(false);
    const onAzure = { modelProvider: "azure_openai", azureOpenAIApiInstanceName: "mine", ...azureFields };
    expect(takesSeparateSystemMessages(await initChatModel("gpt-4o", onAzure))).toBe(true);
    const proxied = { ...onAzure, azureOpenAIEndpoint: "https://proxy.example" };
    expect(takesSeparateSystemMessages(await initChatModel("gpt-4o", proxied))).toBe(false);
  });

  it("are judged by where they send requests", async () => {
    const baseURL = "http://localhost:8000/v1";
    const local = await initChatModel("openai:qwen", { configuration: { baseURL } });
    expect(takesSeparateSystemMessages(local)).toBe(false);
    const model = await initChatModel("openai:gpt-4o");
    process.env["OPENAI_API_BASE"] = baseURL;
    expect(takesSeparateSystemMessages(model)).toBe(false);
  });

  it("are judged by the run's configuration where that may choose the model", async () => {
    const model = await initChatModel("gpt-4o");
    const claude = { model: "claude-sonnet-4-5", modelProvider: "anthropic" };
    expect(takesSeparateSystemMessages(model, { thread_id: "t" })).toBe(true);
    expect(takesSeparateSystemMessages(model, claude)).toBe(false);
    expect(takesSeparateSystemMessages(model.withConfig({ tags: ["t"] }), claude)).toBe(false);
    expect(takesSeparateSystemMessages(model.withConfig({ configurable: claude }))).toBe(false);
    const binding = new RunnableBinding({ bound: model, kwargs: {}, config: { configurable: claude } });
    expect(takesSeparateSystemMessages(binding)).toBe(false);
    const prefixed = await initChatModel("gpt-4o", { configurableFields: "any", configPrefix: "chat" });
    expect(takesSeparateSystemMessages(prefixed, claude)).toBe(true);
    expect(takesSeparateSystemMessages(prefixed, { chat_modelProvider: "anthropic" })).toBe(false);
    expect(takesSeparateSystemMessages(prefixed, { chat_baseUrl: "http://localhost/v1" })).toBe(false);
  });
});
