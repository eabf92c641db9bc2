type Fields = Readonly<Record<string, unknown>>;

const openAIHost = /^(?:[a-z]+\.)?api\.openai\.com$/;
const azureHost = /\.(?:openai\.azure\.(?:com|us|cn)|cognitiveservices\.azure\.com)$/;

const chatModels = ["ChatOpenAI", "AzureChatOpenAI"];
const openAIClients = ["ChatOpenAICompletions", "ChatOpenAIResponses"];
const azureClients = ["AzureChatOpenAICompletions", "AzureChatOpenAIResponses"];

/**
 * Whether a chat model accepts several system messages, at any position. ChatOpenAI and AzureChatOpenAI do, if they
 * send to OpenAI itself. Google's clients and Anthropic's older clients throw, and servers that only speak OpenAI's
 * protocol often refuse. An unknown client counts as one that refuses.
 *
 * @param model a chat model, also a bound model, a model with tools, or a model made by `initChatModel`
 * @param configurable the run's `configurable`, which can change a model made by `initChatModel`
 */
export function takesSeparateSystemMessages(model: unknown, configurable: Fields = {}): boolean {
  if (!isFields(model)) return false;
  if (isFields(model["bound"])) {
    const boundConfigurable = toFields(toFields(model["config"])["configurable"]);
    return takesSeparateSystemMessages(model["bound"], { ...boundConfigurable, ...configurable });
  }
  if (getClassName(model) === "ConfigurableModel") return isReachedByInit(getInitializedFields(model, configurable));
  // `bindTools` turns an AzureChatOpenAI into a ChatOpenAI. Only the clients inside know the address of their requests.
  const clients = [model["completions"], model["responses"]];
  return chatModels.includes(getClassName(model)) && clients.every(isOpenAIClient);
}

function isOpenAIClient(client: unknown): boolean {
  const fields = toFields(client);
  const config = toFields(fields["clientConfig"]);
  // The SDK's `provider` sends requests to a different service.
  if (config["provider"] !== undefined) return false;
  const urls = [toFields(fields["client"])["baseURL"], config["baseURL"] ?? readEnvironmentVariable("OPENAI_BASE_URL")];
  if (openAIClients.includes(getClassName(client))) return isOpenAI(urls);
  return azureClients.includes(getClassName(client)) && isAzure([...urls, ...listAzureUrls(fields)]);
}

/**
 * Judges a model made by `initChatModel` by its fields: such a model builds its client from these fields at the first
 * call.
 */
function isReachedByInit(fields: Fields): boolean {
  const provider = fields["modelProvider"] ?? inferProvider(fields["model"]);
  const url = toFields(fields["configuration"])["baseURL"] ?? fields["baseUrl"];
  const fromEnvironment = ["OPENAI_API_BASE", "OPENAI_BASE_URL", "LANGSMITH_GATEWAY"].map(readEnvironmentVariable);
  const urls = url === undefined ? fromEnvironment : [url];
  if (provider === "openai") return isOpenAI(urls);
  if (provider !== "azure_openai") return false;
  return isAzure([
    ...urls,
    ...listAzureUrls({
      azureOpenAIBasePath: fields["azureOpenAIBasePath"] ?? readEnvironmentVariable("AZURE_OPENAI_BASE_PATH"),
      azureOpenAIEndpoint: fields["azureOpenAIEndpoint"] ?? readEnvironmentVariable("AZURE_OPENAI_ENDPOINT"),
      azureOpenAIApiInstanceName:
        fields["azureOpenAIApiInstanceName"] ?? readEnvironmentVariable("AZURE_OPENAI_API_INSTANCE_NAME"),
    }),
  ]);
}

/** Returns the fields of the model that a run with this `configurable` gets. */
function getInitializedFields(model: Fields, configurable: Fields): Fields {
  const prefix = typeof model["_configPrefix"] === "string" ? model["_configPrefix"] : "";
  const names = model["_configurableFields"];
  const changed = Object.entries(configurable)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => [key.slice(prefix.length), value] as const)
    .filter(([name]) => names === "any" || (Array.isArray(names) && names.includes(name)));
  return { ...toFields(model["_defaultConfig"]), ...Object.fromEntries(changed) };
}

/** Recognizes the names for which `initChatModel` chooses OpenAI. */
function inferProvider(model: unknown): "openai" | undefined {
  return typeof model === "string" && /^(?:gpt-[345]|o[134])/.test(model) ? "openai" : undefined;
}

function listAzureUrls(fields: Fields): unknown[] {
  const instance = fields["azureOpenAIApiInstanceName"];
  return [
    fields["azureOpenAIBasePath"],
    fields["azureOpenAIEndpoint"],
    typeof instance === "string" && instance !== "" ? `https://${instance}.openai.azure.com` : undefined,
  ];
}

/** Whether all given addresses are OpenAI's. OpenAI's address is the default. */
function isOpenAI(urls: readonly unknown[]): boolean {
  return removeMissing(urls).every((url) => hasHost(url, openAIHost));
}

function isAzure(urls: readonly unknown[]): boolean {
  return removeMissing(urls).length > 0 && removeMissing(urls).every((url) => hasHost(url, azureHost));
}

function removeMissing(urls: readonly unknown[]): unknown[] {
  return urls.filter((url) => url !== undefined && url !== null && url !== "");
}

function hasHost(url: unknown, host: RegExp): boolean {
  return typeof url === "string" && URL.canParse(url) && host.test(new URL(url).hostname);
}

/** Returns the exact class name. Reason: other providers' clients are subclasses that inherit `lc_name`. */
function getClassName(value: unknown): string {
  const made: unknown = toFields(value)["constructor"];
  return typeof made === "function" ? made.name : "";
}

/** Returns undefined if there is no environment (browsers) or if it may not be read (Deno). */
function readEnvironmentVariable(name: string): unknown {
  try {
    return toFields(toFields(toFields(globalThis)["process"])["env"])[name];
  } catch {
    return undefined;
  }
}

function toFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
