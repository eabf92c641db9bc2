import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const files = new MongoMemoryStore({ client, dbName, layout: "files" });
const database = ["--uri", uri, "--db", dbName];

describe("the command line on layouts", () => {
  // Requirement: command-line.doctor
  it("doctor looks at the collection of the layout and its indexes", async () => {
    await files.memory(freshAddress()).write("/a", "x");
    const looked = async (): Promise<string[]> => {
      const { checks } = (await cliJson(["doctor", ...database, "--layout", "files"])) as unknown as {
        checks: { name: string; status: string }[];
      };
      expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
      return checks.map(({ name }) => name);
    };
    const first = await looked();
    expect(first).toEqual(
      expect.arrayContaining(["index files_by_id", "index memories_global", "index memories_by_user", "sizes"]),
    );
    expect(first).not.toContain("index files_by_words");
    await new MongoMemoryStore({ client, dbName, layout: "files", memoryTextIndex: true }).start();
    expect(await looked()).toContain("index files_by_words");
  });
});
