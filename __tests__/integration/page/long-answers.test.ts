import { afterAll, afterEach, beforeEach, expect, it, jest } from "@jest/globals";
import { countLongestSlice, stopCounting } from "../../helpers/counted-steps.js";
import { askPage, pageQuery, pageToken, tellPage } from "../../helpers/page-client.js";
import { testDatabase } from "../../helpers/test-database.js";

afterAll(stopCounting);

const { MongoMemoryStore } = await import("../../../src/index.js");
const { createMemoryPage } = await import("../../../src/page/index.js");

const { client, name: dbName } = testDatabase();

let nowMs = 0;
/** Whoever looks at the clock has worked for a millisecond, so ten looks are a slice. */
beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 1)));
afterEach(() => void jest.restoreAllMocks());

it("the authors of 100,000 lines leave the event loop to others", async () => {
  const store = new MongoMemoryStore({ client, dbName, history: true });
  const page = createMemoryPage({ store, token: pageToken });
  const address = { nodeId: "a", scope: "global" };
  await store.memory({ nodeId: "a" }).write("/a", "\n".repeat(100_000));
  let status = 0;
  const longest = await countLongestSlice(/\/src\/page\//, async () => {
    ({ status } = await askPage(page, `/api/blame?${pageQuery({ ...address, path: "/a" })}`));
  });
  expect(status).toBe(200);
  expect(longest).toBeLessThan(300_000);
});

it("a write that conflicts over 100,000 lines leaves the event loop to others", async () => {
  const store = new MongoMemoryStore({ client, dbName });
  const page = createMemoryPage({ store, token: pageToken, access: "write" });
  const address = { nodeId: "conflict", scope: "global" };
  await store.memory({ nodeId: "conflict" }).write("/a", "\n".repeat(100_000));
  const body = { address, path: "/a", content: `${"\n".repeat(90_000)}x`, digest: "0".repeat(64), by: "Ada" };
  let answer: unknown;
  const longest = await countLongestSlice(/\/src\/core\/history\//, async () => {
    ({ json: answer } = await tellPage(page, "/api/write", body));
  });
  expect(answer).toMatchObject({ conflict: { hunks: [expect.anything()] } });
  expect(longest).toBeLessThan(200_000);
});
