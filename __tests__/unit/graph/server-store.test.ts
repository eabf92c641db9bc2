import { afterAll, beforeAll, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import { MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";

const warnings: string[] = [];

beforeAll(() => {
  jest
    .spyOn(process, "emitWarning")
    .mockImplementation((message: string | Error) => void warnings.push(String(message)));
});

afterAll(() => {
  jest.restoreAllMocks();
});

const serverStore = new InMemoryStore();
const onServer = { store: serverStore, metadata: { langgraph_host: "self-hosted" } };

it("a node without a store warns once where LangGraph's server has replaced a MongoMemoryStore", async () => {
  const { nodeId } = freshAddress();
  const node = new MemoryNode({ nodeId });
  const use = (config: object) => node.memoryTools[0]?.invoke({ command: "list", path: "/" }, config);
  await use(onServer);
  expect(warnings).toEqual([]); // the program has no MongoMemoryStore: the server's store is meant
  const mongo = new MongoMemoryStore({ client: new MongoClient("mongodb://localhost:1") });
  await use({ store: serverStore });
  await new MemoryNode({ nodeId, store: serverStore }).memoryTools[0]?.invoke({ command: "list", path: "/" }, onServer);
  await node.memoryForRun({ config: { ...onServer, store: mongo } as object });
  expect(warnings).toEqual([]);
  await use(onServer);
  await use(onServer);
  expect(warnings).toEqual([
    `node "${nodeId}" has no store, so its notes are kept in the store of LangGraph's server, which replaces the one of ` +
      "compile({ store }); pass the MongoMemoryStore to the MemoryNode to keep them in MongoDB",
  ]);
});
