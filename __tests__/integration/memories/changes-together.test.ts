import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, type MemoryVersion, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { SlowClient } from "../../helpers/before-commands.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { describeVariant, variants, withPageBytes } from "../../helpers/page-sizes.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const isWrite = ({ commandName }: { commandName: string }): boolean => !/^(find|aggregate|getMore)$/.test(commandName);

async function listVersions(memory: Memory): Promise<MemoryVersion[]> {
  const versions: MemoryVersion[] = [];
  for await (const version of memory.history?.list() ?? []) versions.unshift(version);
  return versions;
}

describe.each(variants.map((variant) => [describeVariant(variant), variant] as const))(
  "on %s",
  (_title, { place, history }) => {
    const [kind, pageBytes] = place;
    const { uri, name: dbName } = testDatabase(kind);
    const client = useClient(new MongoClient(uri, { monitorCommands: true }));
    const openMemory = (): Memory =>
      new MongoMemoryStore({ client, dbName, history, ...withPageBytes(pageBytes) }).memory(freshAddress());

    it("changes that wait are made with few commands, each with a result of its own", async () => {
      const memory = openMemory();
      await memory.write("/a", "one two");
      await memory.write("/gone", "x");
      const created = (await memory.stat("/gone"))?.createdAt;
      let answers: unknown[] = [];
      const commands = await commandsOf(client, async () => {
        answers = await Promise.all([
          memory.append("/log", "first"),
          memory.update("/a", "one", "three"),
          memory.append("/log", "second"),
          memory.write("/gone", "y"),
          memory.delete("/gone"),
          memory.write("/gone", "z"),
          memory.write("/dir/new", "text", { ifExists: "fail" }),
        ]);
      });
      expect(answers).toEqual([
        undefined,
        1,
        undefined,
        expect.objectContaining({ sizeBytes: 1, createdAt: created }),
        expect.objectContaining({ files: 1 }),
        expect.objectContaining({ sizeBytes: 1 }),
        expect.objectContaining({ sizeBytes: 4 }),
      ]);
      expect([await memory.read("/log"), await memory.read("/a")]).toEqual(["first\nsecond", "three two"]);
      expect([await memory.read("/gone"), await memory.read("/dir/new")]).toEqual(["z", "text"]);
      // The first one comes at once. A page of 400 bytes is split on the way.
      if (pageBytes === undefined) expect(commands.filter(isWrite)).toHaveLength(2);
      if (!history) return;
      const versions = await listVersions(memory);
      expect(versions.slice(2).map(({ path, operation }) => [path, operation])).toEqual([
        ["/log", "created"],
        ["/a", "modified"],
        ["/log", "modified"],
        ["/gone", "modified"],
        ["/gone", "deleted"],
        ["/gone", "created"],
        ["/dir/new", "created"],
      ]);
    });

    it("one that is refused fails no other, and the answers say why", async () => {
      const memory = openMemory();
      await memory.write("/a", "x");
      const [first, exists, second, isDirectory, tooLarge, third] = await Promise.allSettled([
        memory.append("/d/b", "1"),
        memory.write("/a", "y", { ifExists: "fail" }),
        memory.append("/d/b", "2"),
        memory.write("/d", "y"),
        memory.append("/d/b", "x".repeat(8_000_000)),
        memory.append("/d/b", "3"),
      ]);
      expect([first, second, third].map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
      expect([exists, isDirectory, tooLarge]).toMatchObject([
        { reason: { code: "EEXIST" } },
        { reason: { code: "EISDIR" } },
        { reason: { code: "EFBIG" } },
      ]);
      expect(await memory.read("/d/b")).toBe("1\n2\n3");
    });

    it("the changes of a caller that does not wait are made in its order", async () => {
      const memory = openMemory();
      const lines = Array.from({ length: 80 }, (_, index) => `line ${index}`);
      await Promise.all([
        ...lines.map((line) => memory.append("/log", line)),
        ...lines.map((line, index) => memory.write(`/files/${index}`, line)),
      ]);
      expect(await memory.read("/log")).toBe(lines.join("\n"));
      const files = Object.fromEntries((await memory.snapshot()).files.map(({ path, content }) => [path, content]));
      expect(files).toEqual({
        "/log": lines.join("\n"),
        ...Object.fromEntries(lines.map((line, index) => [`/files/${index}`, line])),
      });
      if (!history) return;
      const appended = (await listVersions(memory)).filter(({ path }) => path === "/log");
      expect(appended.map(({ sizeBytes }) => sizeBytes)).toEqual(
        lines.map((_, index) => lines.slice(0, index + 1).join("\n").length),
      );
    });
  },
);

describe("changes that wait", () => {
  const { client, name: dbName } = testDatabase("standalone");

  it("are made although they are too large for the server together, with what waits to become a version", async () => {
    const store = new MongoMemoryStore({ client, dbName, history: true });
    const memory = store.memory(freshAddress(), { maxFileBytes: 7_000_000 });
    for (const path of ["/x", "/y"]) await memory.write(path, "x".repeat(6_950_000));
    await memory.write("/a", "a".repeat(990_000));
    await Promise.all([
      memory.append("/log", "first"),
      memory.write("/a", "b".repeat(990_000)),
      memory.write("/a", "c".repeat(990_000)),
      memory.append("/log", "second"),
    ]);
    expect(await memory.read("/log")).toBe("first\nsecond");
    expect((await memory.read("/a"))?.startsWith("c")).toBe(true);
  });

  const slow = new SlowClient(client);
  const memory = new MongoMemoryStore({ client: slow.client, dbName }).memory(freshAddress());

  it("end by their time limit, say that nothing was changed, and are not made later", async () => {
    await memory.write("/a", "x");
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let send: () => void = () => undefined;
    const isSent = new Promise<void>((resolve) => (send = resolve));
    await slow.run(
      () => {
        send();
        return held;
      },
      async () => {
        const first = memory.append("/a", "first");
        await isSent;
        const waiting = memory.with({ timeoutMs: 20 }).append("/a", "second");
        await refuses(
          waiting,
          "EIO",
          "EIO: other changes of this memory took longer than 20 ms (timeoutMs); nothing was changed",
        );
        goOn();
        await first;
        await memory.append("/a", "third");
      },
    );
    expect(await memory.read("/a")).toBe("x\nfirst\nthird");
  });
});
