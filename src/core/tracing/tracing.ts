import type * as OpenTelemetry from "@opentelemetry/api";
import { packageVersion } from "../values/package-version.js";

export type SpanAttributes = OpenTelemetry.Attributes;

/** What a span tells of a call. Nothing of it is asked for where no span is recorded. */
export interface TracedCall<Answer> {
  /** The name of the span too. */
  operation: MemoryOperation;
  /** Whether another process answers the call. */
  isRemote: boolean;
  attributes: () => SpanAttributes;
  /** What the answer adds. */
  answered?: (answer: Answer) => SpanAttributes;
}

/** The operations of the GenAI memory convention that calls of this package are. */
export type MemoryOperation =
  | "search_memory"
  | "create_memory"
  | "update_memory"
  | "upsert_memory"
  | "delete_memory"
  | "delete_memory_store";

type Api = typeof OpenTelemetry;

/** Where every copy of version 1 of the API looks for what an SDK has registered. */
const registry: unique symbol = Symbol.for("opentelemetry.js.api.1") as never;

let loading: Promise<Api | null> | undefined;
/** Null where the package is not installed. */
let loadedApi: Api | null | undefined;

/** Whether the program has an SDK for traces. Without one the API is not even loaded, and a call takes no longer. */
export function isTraced(): boolean {
  return loadedApi !== null && (globalThis as { [registry]?: { trace?: unknown } })[registry]?.trace !== undefined;
}

/** Runs a call in a span of its own, if the program has an SDK for traces. */
export function traced<Answer>(call: TracedCall<Answer>, run: () => Promise<Answer>): Promise<Answer> {
  if (!isTraced()) return run();
  if (loadedApi !== undefined) return loadedApi === null ? run() : inSpan(loadedApi, call, run);
  return load().then((loaded) => (loaded === null ? run() : inSpan(loaded, call, run)));
}

/** Whether texts may be in spans: the variable of the convention says so. */
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
  // Asked for each time: the program may register another SDK.
  const span = api.trace
    .getTracer("langgraph-mongo-memory", packageVersion)
    .startSpan(operation, { kind, attributes: { "gen_ai.operation.name": operation } }, parent);
  const isRecording = span.isRecording();
  try {
    if (isRecording) tell(span, attributes);
    const answer = await api.context.with(api.trace.setSpan(parent, span), run);
    if (isRecording && answered) tell(span, () => answered(answer));
    return answer;
  } catch (error) {
    // No message: it may hold a path that somebody else has chosen.
    span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.setAttribute("error.type", errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** It never changes how a call ends. */
function tell(span: OpenTelemetry.Span, attributes: () => SpanAttributes): void {
  try {
    span.setAttributes(attributes());
  } catch {
    // Arguments that cannot even be shown: the call refuses them by itself.
  }
}

/**
 * JSON of any value, which may be none of JSON's: an integer of 64 bits is its digits, and of a circle only the kind of
 * failure is told.
 */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "";
  } catch (error) {
    return errorTypeOf(error);
  }
}

/**
 * The code of a MemoryError, or else the name of the error, as of an abort. "_OTHER" is the word of the conventions for
 * all else.
 */
export function errorTypeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((each): each is string => typeof each === "string" && each !== "") ?? "_OTHER";
}
