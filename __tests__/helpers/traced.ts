import { afterAll, beforeAll, beforeEach } from "@jest/globals";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

/** A span in the form that tests compare. */
export interface ToldSpan {
  name: string;
  /** The name of the parent span. */
  parent: string | undefined;
  attributes: Record<string, unknown>;
}

/**
 * Registers a real SDK for the tests of a file. Returns a function that returns the spans that have ended since the
 * test began, in order.
 */
export function traced(): () => ReadableSpan[] {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(provider);
  });
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    await provider.shutdown();
    trace.disable();
    context.disable();
  });
  return () => exporter.getFinishedSpans();
}

/** Registers another SDK, which keeps nothing. Returns a function that registers the SDK of the tests again. */
export function anotherSdk(): () => void {
  trace.disable();
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  return () => {
    trace.disable();
    trace.setGlobalTracerProvider(provider);
  };
}

export function toldSpans(spans: readonly ReadableSpan[]): ToldSpan[] {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext, attributes }) => ({
    name,
    parent: parentSpanContext && names.get(parentSpanContext.spanId),
    attributes,
  }));
}

/** Runs a function in a span of the program. */
export function inOwnSpan<T>(name: string, run: () => Promise<T>): Promise<T> {
  return trace.getTracer("program").startActiveSpan(name, async (span) => {
    try {
      return await run();
    } finally {
      span.end();
    }
  });
}
