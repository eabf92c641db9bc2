import type * as OpenTelemetry from "@opentelemetry/api";
import { packageVersion } from "../values/package-version.js";

export type SpanAttributes = OpenTelemetry.Attributes;

/**
 * The data for the span of a call. The functions run only if the span is recorded. The arguments of the call are not
 * checked yet.
 */
export interface Trace<Answer> {
  /** The operation, which is also the name of the span. */
  operation: MemoryOperation;
  attributes?: (() => SpanAttributes) | undefined;
  /** Attributes that are known from the answer. */
  answered?: ((answer: Answer) => SpanAttributes) | undefined;
}

export interface TracedCall<Answer> extends Trace<Answer> {
  /** Whether another process answers the call. */
  isRemote: boolean;
}

/** The operations of the GenAI memory convention that this package uses. */
export type MemoryOperation =
  | "search_memory"
  | "create_memory"
  | "update_memory"
  | "upsert_memory"
  | "delete_memory"
  | "delete_memory_store";

type Api = typeof OpenTelemetry;

/** The global key under which an SDK registers itself for every copy of version 1 of the API. */
const registry = Symbol.for("opentelemetry.js.api.1");

let loading: Promise<Api | null> | undefined;
/** Null if the package is not installed. */
let loadedApi: Api | null | undefined;

/** Whether the program has an SDK for traces. If not, the API is not even loaded, and calls take no longer. */
export function isTraced(): boolean {
  const registered: unknown = Reflect.get(globalThis, registry);
  return loadedApi !== null && typeof registered === "object" && registered !== null && "trace" in registered;
}

/** Runs a call in a span of its own, if the program has an SDK for traces. */
export function traced<Answer>(call: TracedCall<Answer>, run: () => Promise<Answer>): Promise<Answer> {
  if (!isTraced()) return run();
  if (loadedApi !== undefined) return loadedApi === null ? run() : inSpan(loadedApi, call, run);
  return load().then((loaded) => (loaded === null ? run() : inSpan(loaded, call, run)));
}

/** Whether spans may contain texts, according to the variable of the convention. */
export function capturesTexts(): boolean {
  const captured = globalThis.process?.env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] ?? "";
  return ["true", "span_only", "span_and_event"].includes(captured.trim().toLowerCase());
}

function load(): Promise<Api | null> {
  loading ??= import("@opentelemetry/api").then(
    (api) => (loadedApi = api),
    () => (loadedApi = null),
  );
  return loading;
}

async function inSpan<Answer>(api: Api, call: TracedCall<Answer>, run: () => Promise<Answer>): Promise<Answer> {
  const { operation, isRemote, attributes, answered } = call;
  const parent = api.context.active();
  const kind = isRemote ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL;
  // The tracer is looked up for each call, because the program may register another SDK.
  const span = api.trace
    .getTracer("langgraph-mongo-memory", packageVersion)
    .startSpan(operation, { kind, attributes: { "gen_ai.operation.name": operation } }, parent);
  const isRecording = span.isRecording();
  try {
    if (isRecording) report(span, attributes);
    const answer = await api.context.with(api.trace.setSpan(parent, span), run);
    if (isRecording) report(span, () => answered?.(answer));
    return answer;
  } catch (error) {
    // The status has no message, because the message may contain a path that somebody else chose.
    span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.setAttribute("error.type", getErrorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Sets attributes, and never changes how the call ends. */
function report(span: OpenTelemetry.Span, getAttributes: (() => SpanAttributes | undefined) | undefined): void {
  try {
    span.setAttributes(getAttributes?.() ?? {});
  } catch {
    // The arguments cannot even be shown. The call itself refuses them.
  }
}

/** Returns JSON of any value. A bigint becomes a string. For a cyclic value, returns the name of the error. */
export function stringifyAny(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "";
  } catch (error) {
    return getErrorType(error);
  }
}

/** Returns the code of an error, or else its name. If it has neither, returns "_OTHER", as the conventions say. */
export function getErrorType(error: unknown): string {
  if (typeof error !== "object" || error === null) return "_OTHER";
  const types = ["code" in error && error.code, "name" in error && error.name];
  return types.find((type): type is string => typeof type === "string" && type !== "") ?? "_OTHER";
}
