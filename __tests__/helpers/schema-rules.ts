type Schema = Record<string, unknown>;

/** Returns what a provider would refuse about a schema of arguments, from its published rules. */
export type SchemaRules = (schema: Schema) => string[];

/** Every schema in a schema, with its place. */
function* walk(schema: unknown, place = "arguments"): Generator<[place: string, schema: Schema]> {
  if (!isRecord(schema)) return;
  yield [place, schema];
  const { properties, items, anyOf } = schema;
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {}))
    yield* walk(property, `${place}.${name}`);
  yield* walk(items, `${place}[]`);
  for (const [index, choice] of (Array.isArray(anyOf) ? anyOf : []).entries()) yield* walk(choice, `${place}|${index}`);
}

function checkEach(root: Schema, check: (schema: Schema) => (string | false)[]): string[] {
  return Array.from(walk(root)).flatMap(([place, schema]) =>
    check(schema).flatMap((fault) => (fault === false ? [] : [`${place}: ${fault}`])),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const getKeys = (value: unknown): string[] => Object.keys(isRecord(value) ? value : {});

const isClosed = ({ type, additionalProperties }: Schema): boolean =>
  type !== "object" || additionalProperties === false;

const needsAllKeys = ({ type, properties, required }: Schema): string | false =>
  type === "object" && JSON.stringify(getKeys(properties)) !== JSON.stringify(required) && "does not require every key";

function hasOtherKeys(schema: Schema, allowed: readonly string[]): string | false {
  const others = Object.keys(schema).filter((key) => !allowed.includes(key));
  return others.length > 0 && `has ${others.join(", ")}`;
}

const plain = ["type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf"];

/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas. Groq's strict mode has the same. */
export const strictRules: SchemaRules = (root) => [
  ...(root["type"] === "object" ? [] : ["arguments: are no object"]),
  ...checkEach(root, (schema) => [
    hasOtherKeys(schema, plain),
    !isClosed(schema) && "is open",
    needsAllKeys(schema),
    !("type" in schema) && !("anyOf" in schema) && "has no type",
  ]),
];

/** https://ai.google.dev/api/caching#Schema, and Vertex AI's own refusals. */
export const geminiRules: SchemaRules = (root) =>
  checkEach(root, (schema) => [
    hasOtherKeys(schema, ["type", "description", "properties", "required", "items", "enum", "anyOf"]),
    "anyOf" in schema && Object.keys(schema).length > 1 && "has a key beside anyOf",
    !("anyOf" in schema) && typeof schema["type"] !== "string" && "has no single type",
    "enum" in schema &&
      (schema["enum"] as unknown[]).some((value) => typeof value !== "string") &&
      "has null in an enum",
    "enum" in schema && schema["type"] !== "string" && "has an enum that is no string",
    schema["type"] === "object" && getKeys(schema["properties"]).length === 0 && "has no properties",
    schema["type"] === "array" && !isRecord(schema["items"]) && "has no items",
  ]);

/** https://docs.claude.com/en/docs/build-with-claude/structured-outputs#json-schema-limitations */
export const anthropicRules: SchemaRules = (root) => [
  ...getKeys(root).flatMap((key) => (/^(?:oneOf|anyOf|allOf)$/.test(key) ? [`arguments: have ${key}`] : [])),
  ...checkEach(root, (schema) => [hasOtherKeys(schema, plain), !isClosed(schema) && "is open"]),
];

/** At most 16 arguments of all strict tools of a request may have several types. */
export function countUnions(root: Schema): number {
  return Array.from(walk(root)).filter(([, schema]) => "anyOf" in schema || Array.isArray(schema["type"])).length;
}
