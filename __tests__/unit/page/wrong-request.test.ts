import { expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { createMemoryPage } from "../../../src/page/index.js";
import { untyped } from "../../helpers/memory-case.js";

it.each([
  ["no request", undefined, "(given undefined)"],
  ["a request of Node", { url: "/", headers: { host: "localhost" } }, "(given an object)"],
])("The page refuses %s, and names the handler for servers of Node", async (_name, request, given) => {
  const store = new MongoMemoryStore({ client: new MongoClient("mongodb://127.0.0.1:9/") });
  const refused = createMemoryPage({ store, token: "t".repeat(32) })(untyped(request));
  await expect(refused).rejects.toThrow(
    new TypeError(`the argument of the page must be a Request (a server of Node takes page.nodeListener) ${given}`),
  );
});
