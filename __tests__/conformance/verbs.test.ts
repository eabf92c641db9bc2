import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { backendsOfTable } from "../helpers/verb-table/backends.js";
import { verbTable } from "../helpers/verb-table/table.js";

const backends = backendsOfTable();
const fixture = new URL("../fixtures/verbs.txt", import.meta.url);

// Each line of the table is what people see: an answer, or the code, message and path of a refusal, and what changed.
// Where an answer is meant to change: WRITE_VERBS=1 npm test -- verbs, and read the difference.
test("every verb answers as the table says, under every policy on every backend", async () => {
  const table = await verbTable(backends);
  if (process.env["WRITE_VERBS"] === "1") await writeFile(fixture, table);
  expect(table).toBe(await readFile(fixture, "utf8"));
});
