import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { ChatAnthropic } from "@langchain/anthropic";
import { RunnableBinding } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { AzureChatOpenAI, ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { initChatModel } from "langchain";
import { takesSeparateSystemMessages } from "../../../src/prompt/client-capabilities.js";

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

describe("clients of OpenAI itself", () => {
  it("take several system messages, plain, bound and with tools", () => {
    for (const model of [openAI(), openAI({ useResponsesApi: true }), openAI({ model: "o3" }), azure()]) {
      expect(takesSeparateSystemMessages(model)).toBe(true);
      expect(takesSeparateSystemMessages(model.bindTools(tools))).toBe(true);
      expect(takesSeparateSystemMessages(model.bindTools(tools).withConfig({ tags: ["t"] }))).toBe(true);
      expect(takesSeparateSystemMessages(model.withRetry())).toBe(true);
    }
  });

  it.each(["https://api.openai.com/v1", "https://eu.api.openai.com/v1"])(
    "may be given OpenAI's own address %s",
    (baseURL) => {
      expect(takesSeparateSystemMessages(openAI({ configuration: { baseURL } }))).toBe(true);
    },
  );

  it("may be given an Azure endpoint in any of the ways there are", () => {
    expect(takesSeparateSystemMessages(azure({ azureOpenAIEndpoint: "https://mine.openai.azure.com" }))).toBe(true);
    expect(
      takesSeparateSystemMessages(azure({ azureOpenAIBasePath: "https://mine.openai.azure.us/openai/deployments" })),
    ).toBe(true);
    process.env["AZURE_OPENAI_ENDPOINT"] = "https://mine.cognitiveservices.azure.com/";
    expect(takesSeparateSystemMessages(azure({}))).toBe(true);
  });
});

describe("clients of servers that only speak the protocol", () => {
  it("do not, where the address is given in the code", () => {
    for (const baseURL of [
      "http://localhost:8000/v1",
      "https://openrouter.ai/api/v1",
      "https://api.openai.com.example.org/v1",
      "https://notapi.openai.com.example/v1",
      "not a url",
    ]) {
      const model = openAI({ configuration: { baseURL } });
      expect(takesSeparateSystemMessages(model)).toBe(false);
      expect(takesSeparateSystemMessages(model.bindTools(tools))).toBe(false);
    }
    for (const endpoint of ["https://gateway.example", "https://openai.azure.com.example"]) {
      expect(takesSeparateSystemMessages(azure({ azureOpenAIEndpoint: endpoint }))).toBe(false);
      expect(takesSeparateSystemMessages(azure({ azureOpenAIBasePath: endpoint }).bindTools(tools))).toBe(false);
    }
  });

  it.each(["OPENAI_BASE_URL", "OPENAI_API_BASE", "LANGSMITH_GATEWAY"])("do not, where %s is set", (name) => {
    process.env[name] = "https://proxy.example/v1";
    expect(takesSeparateSystemMessages(openAI())).toBe(false);
  });

  it("do not, where OPENAI_BASE_URL is set only after the model was made", () => {
    const model = openAI();
    process.env["OPENAI_BASE_URL"] = "https://proxy.example/v1";
    expect(takesSeparateSystemMessages(model)).toBe(false);
  });

  it("do not, where AZURE_OPENAI_BASE_PATH is set", () => {
    process.env["AZURE_OPENAI_BASE_PATH"] = "https://proxy.example";
    expect(takesSeparateSystemMessages(azure())).toBe(false);
  });

  it("do not, where no address of Azure is known", () => {
    expect(takesSeparateSystemMessages(azure({}))).toBe(false);
  });

  it("do not, where the SDK is told to talk to another provider", () => {
    const configuration = { provider: { name: "bedrock" } } as object;
    expect(takesSeparateSystemMessages(openAI({ configuration }))).toBe(false);
  });

  it("do not, where the class is another provider's", () => {
    class ChatElsewhere extends ChatOpenAI {}
    class ElsewhereCompletions extends ChatOpenAICompletions {}
    const fields = { apiKey: "key", model: "m" };
    expect(takesSeparateSystemMessages(new ChatElsewhere(fields))).toBe(false);
    expect(takesSeparateSystemMessages(new ElsewhereCompletions(fields))).toBe(false);
    // With tools it is a plain ChatOpenAI that keeps the other provider's client inside.
    const bound = new ChatElsewhere({ ...fields, completions: new ElsewhereCompletions(fields) }).bindTools(tools);
    expect(bound.constructor.name).toBe("ChatOpenAI");
    expect(takesSeparateSystemMessages(bound)).toBe(false);
  });
});

describe("other clients", () => {
  it("do not take several system messages", () => {
    const models = [
      new ChatAnthropic({ apiKey: "key", model: "claude-sonnet-4-5" }),
      new ChatGoogleGenerativeAI({ apiKey: "key", model: "gemini-2.5-flash" }),
    ];
    for (const model of models) {
      expect(takesSeparateSystemMessages(model)).toBe(false);
      expect(takesSeparateSystemMessages(model.bindTools(tools))).toBe(false);
    }
    expect(takesSeparateSystemMessages(new FakeListChatModel({ responses: ["hi"] }))).toBe(false);
  });

  it("do not where they cannot be known", () => {
    const fallbacks = openAI().withFallbacks([new ChatAnthropic({ apiKey: "key", model: "claude-sonnet-4-5" })]);
    class ChatOpenAIAlike {
      static lc_name = (): string => "ChatOpenAI";
      clientConfig = {};
    }
    const unknown = [undefined, null, "gpt-4o", 1, () => {}, {}, [], Object.create(null), { bound: null }];
    for (const model of [...unknown, fallbacks, new ChatOpenAIAlike(), { clientConfig: {} }]) {
      expect(takesSeparateSystemMessages(model)).toBe(false);
    }
  });
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
