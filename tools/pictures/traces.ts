import { langSmithRun } from "./agent-run.js";
import { treePicture } from "./tree-picture.js";

/** The picture of `docs/deploy.md`, by file, from a run that is traced now. */
export async function tracePictures(): Promise<Record<string, string>> {
  return { "docs/images/trace-langsmith.svg": treePicture("An agent's run in LangSmith", await langSmithRun()) };
}
