import { describe, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { learn } from "../../../src/learn/index.js";
import { countLearnTraffic } from "../../helpers/learn-traffic.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, name: dbName } = testDatabase("standalone");

describe("a run of learn", () => {
  it("reads no more in a large memory than in a small one", async () => {
    const files = repetitions({ usual: 2000, long: 20_000 });
    const small = await countLearnTraffic({ MongoMemoryStore, learn }, { uri, dbName, files: 10 });
    const large = await countLearnTraffic({ MongoMemoryStore, learn }, { uri, dbName, files });
    expect([small.proposals, large.proposals]).toEqual([4, 4]);
    // A memory of several pages reads a list of them now and then.
    expect(large.commands).toBeLessThanOrEqual(small.commands + 5);
    expect(large.bytes).toBeLessThan(1.5 * small.bytes);
  });
});
