import { equal, match } from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openAiStandIn } from "../../../__tests__/helpers/openai-stand-in.js";
import { run } from "./shell.js";

export interface Place {
  directory: string;
  tarball: string;
  /** The address of a MongoDB. */
  uri: string;
}

/** Does in an empty project what the skill tells a coding agent to do, word for word. */
export async function checkSkill({ directory, tarball, uri }: Place): Promise<void> {
  const project = join(directory, "skill");
  await mkdir(project);
  await run(project, "npm init -y");
  const page = await readFile("skills/langgraph-mongo-memory/SKILL.md", "utf8");
  const programs: string[] = [];
  for (const [, before = "", kind, code = ""] of page.matchAll(/((?:.+\n)*)\n?^```(sh|mjs)\n([^]*?)^```$/gm)) {
    if (kind === "mjs") {
      const [file = ""] = /(?<=`)[\w./-]+\.mjs(?=`)/.exec(before) ?? [];
      await mkdir(dirname(join(project, file)), { recursive: true });
      await writeFile(join(project, file), code);
      programs.push(file);
    } else {
      await run(project, code.replace(/^(npm install) langgraph-mongo-memory\b/, `$1 ${tarball}`));
    }
  }
  equal(programs.join(), "src/agent.mjs,src/main.mjs,src/agent.test.mjs", "the programs of the skill");
  await run(project, "npm install @langchain/openai");
  const standIn = await openAiStandIn({ text: "Nice to meet you." });
  try {
    const env = { ...standIn.env, MONGODB_URI: `${uri}skill` };
    match(await run(project, "node src/main.mjs", env), /Nice to meet you/);
  } finally {
    await standIn.close();
  }
  console.log("ok: the skill for coding agents");
}
