import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name } = testDatabase();
const worker = compiled("__tests__/helpers/journal-worker.ts");
const processes = repetitions({ usual: 4, long: 16 });

interface Answer {
  data?: { key: string };
  error?: { code: string };
}

it(`${processes} processes that write keys of their own and shared ones lose none, and accept each key once`, async () => {
  const address = freshAddress();
  const shared = Array.from({ length: 5 }, (_, index) => `shared ${index}`);
  const own = Array.from({ length: processes }, (_, process) =>
    Array.from({ length: 10 }, (__, index) => `of ${process} ${index}`),
  );
  const outputs = await Promise.all(
    own.map((keys) =>
      promisify(execFile)(process.execPath, [worker, uri, name, address.nodeId, JSON.stringify([...keys, ...shared])]),
    ),
  );
  const answers = outputs.flatMap(({ stdout }) =>
    (JSON.parse(stdout) as string[]).map((text) => JSON.parse(text) as Answer),
  );
  const all = [...own.flat(), ...shared].toSorted();
  expect(answers.flatMap(({ data }) => data?.key ?? []).toSorted()).toEqual(all);
  expect(answers.flatMap(({ error }) => error?.code ?? [])).toEqual(
    Array.from({ length: (processes - 1) * shared.length }, () => "MEMORY_KEY_EXISTS"),
  );
  const { files } = await new MongoMemoryStore({ client, dbName: name }).memory(address).snapshot();
  const text = files.flatMap(({ path, content }) => (path.endsWith(".md") ? content : [])).join("");
  expect(Array.from(text.matchAll(/^### (.*)$/gm), ([, key = ""]) => key).toSorted()).toEqual(all);
});
