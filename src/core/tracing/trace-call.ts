import type { MemoryActor } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import { createPlaceAttributes, type ServerAddress } from "./memory-attributes.js";
import { isTraced, type MemoryOperation, type SpanAttributes, traced } from "./tracing.js";

/** What the span of a call reports. Arguments may be anything: nobody has checked them. */
export interface Trace<Answer> {
  operation: MemoryOperation;
  /** Beside those of the memory. */
  attributes?: (() => SpanAttributes) | undefined;
  /** What the answer adds. */
  answered?: ((answer: Answer) => SpanAttributes) | undefined;
}

/** The memory of a span, and who uses it. */
export interface TracedMemory {
  readonly address: CheckedAddress;
  readonly actor: MemoryActor | null;
  readonly origin: { server?: ServerAddress | undefined; isUntraced?: boolean };
}

/** Runs a call in a span of its own, if the program has an SDK for traces. @param trace null: no span */
export function traceCall<R>(
  { address, actor, origin }: TracedMemory,
  trace: Trace<R> | null,
  run: () => Promise<R>,
): Promise<R> {
  if (trace === null || origin.isUntraced === true || !isTraced()) return run();
  const { operation, attributes, answered } = trace;
  const { server } = origin;
  return traced(
    {
      operation,
      isRemote: server !== undefined,
      attributes: () => ({ ...createPlaceAttributes(address, actor, server), ...attributes?.() }),
      answered: (answer) => answered?.(answer) ?? {},
    },
    run,
  );
}
