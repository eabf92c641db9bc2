import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { OpenMemory } from "../../src/testing/memory-case.js";
import { testBackend } from "../helpers/backend-suite.js";
import { pageAt, programsOf } from "../helpers/documentation.js";
import { repetitions } from "../helpers/repetitions.js";
import { testFolder } from "../helpers/test-folder.js";

const folder = testFolder();
let page: Promise<{ openMapMemory: OpenMemory }> | undefined;

testBackend(
  "the backend of docs/writing-a-backend.md",
  async (address, options) => (await (page ??= programOfPage())).openMapMemory(address, options),
  repetitions({ usual: 25, long: 100 }),
);

/** The program of the page itself, so that page and test cannot differ. */
async function programOfPage(): Promise<{ openMapMemory: OpenMemory }> {
  const [program = ""] = programsOf(pageAt("docs/writing-a-backend.md").text);
  const file = join(folder, "map-backend.ts");
  await writeFile(
    file,
    program.replace('"langgraph-mongo-memory/backend"', JSON.stringify(resolve("src/custom-backend/index.ts"))),
  );
  return (await import(file)) as { openMapMemory: OpenMemory };
}
