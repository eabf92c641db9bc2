import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { tracedAgentRun } from "./agent-run.js";
import { treePicture } from "./tree-picture.js";

/** The pictures of `docs/observability.md`, by file, from a run that is traced now. */
export async function tracePictures(spans: () => readonly ReadableSpan[]): Promise<Record<string, string>> {
  const { openTelemetry, langSmith } = await tracedAgentRun(spans);
  return {
    "docs/images/trace-opentelemetry.svg": treePicture("An agent's run in OpenTelemetry", openTelemetry),
    "docs/images/trace-langsmith.svg": treePicture("The same run in LangSmith", langSmith),
  };
}
