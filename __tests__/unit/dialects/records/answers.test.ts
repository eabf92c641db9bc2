import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { createRecordTools } from "../../../../src/langchain/records/index.js";
import { openMemory } from "../../../../src/index.js";
import { freshAddress } from "../../../helpers/memory-case.js";
import { RecordBench, recordError } from "../../../helpers/record-bench.js";

const path = "project/todo";
const content = "- Complete i18n docs\n- Écrire les tests\n";

async function withOne(): Promise<RecordBench> {
  const bench = new RecordBench();
  await bench.call("add_memory", { path, content });
  return bench;
}

describe("add_memory", () => {
  it("stores the content as it is, and answers its size in bytes and the time", async () => {
    const bench = new RecordBench();
    expect(await bench.text("add_memory", { path, content })).toBe(
      "status: ok\npath: project/todo\ncontent_size: 41\ncreated_at: 2026-01-15T10:00:00.120Z\n",
    );
    expect(await bench.files()).toEqual({ "/project/todo": content });
  });

  it("takes an empty content", async () => {
    const bench = new RecordBench();
    expect(await bench.call("add_memory", { path, content: "" })).toMatchObject({ status: "ok", content_size: 0 });
    expect(await bench.files()).toEqual({ "/project/todo": "" });
  });

  it("refuses a path that exists and leaves it as it was", async () => {
    const bench = await withOne();
    expect(await bench.text("add_memory", { path, content: "other" })).toBe(
      recordError("MEMORY_ALREADY_EXISTS", 'Path "project/todo" already exists, please use replace_memory to update'),
    );
    expect(await bench.files()).toEqual({ "/project/todo": content });
  });

  it("refuses a folder, and what is below another memory", async () => {
    const bench = await withOne();
    expect(await bench.text("add_memory", { path: "project", content })).toBe(
      recordError("MEMORY_PATH_INVALID", 'Path "project" is a folder of memories, please choose another path'),
    );
    expect(await bench.text("add_memory", { path: `${path}/deep/er`, content })).toBe(
      recordError(
        "MEMORY_PATH_INVALID",
        'Path "project/todo/deep/er" is below another memory, please choose another path',
      ),
    );
    expect(await bench.files()).toEqual({ "/project/todo": content });
  });
});

describe("replace_memory", () => {
  it("sets the whole content and answers its size in bytes and the time", async () => {
    const bench = await withOne();
    bench.now = new Date("2026-01-16T00:00:00.000Z");
    expect(await bench.text("replace_memory", { path, content: "🧠" })).toBe(
      "status: ok\npath: project/todo\ncontent_size: 4\nupdated_at: 2026-01-16T00:00:00.000Z\n",
    );
    expect(await bench.files()).toEqual({ "/project/todo": "🧠" });
  });

  it.each([["project/none"], ["project/todo/below"], ["none"]])("refuses %s, where nothing is", async (missing) => {
    const bench = await withOne();
    expect(await bench.text("replace_memory", { path: missing, content })).toBe(
      recordError("MEMORY_NOT_FOUND", `Path "${missing}" does not exist, please use add_memory to create first`),
    );
    expect(await bench.files()).toEqual({ "/project/todo": content });
  });

  it("refuses a folder", async () => {
    const bench = await withOne();
    expect(await bench.call("replace_memory", { path: "project", content })).toEqual({
      status: "error",
      error_code: "MEMORY_NOT_FOUND",
      message: 'Path "project" does not exist as a memory: it is a folder of memories',
    });
  });
});

describe("drop_memory", () => {
  it("deletes one memory and answers the time", async () => {
    const bench = await withOne();
    await bench.call("add_memory", { path: "project/other", content: "x" });
    expect(await bench.text("drop_memory", { path })).toBe(
      "status: ok\npath: project/todo\ndeleted_at: 2026-01-15T10:00:00.120Z\n",
    );
    expect(await bench.files()).toEqual({ "/project/other": "x" });
  });

  it("refuses what is not there, or no more", async () => {
    const bench = await withOne();
    await bench.call("drop_memory", { path });
    expect(await bench.text("drop_memory", { path })).toBe(
      recordError("MEMORY_NOT_FOUND", 'Path "project/todo" does not exist'),
    );
  });

  it("refuses a folder, even an empty one, and takes nothing with it", async () => {
    const bench = await withOne();
    expect(await bench.call("drop_memory", { path: "project" })).toEqual({
      status: "error",
      error_code: "MEMORY_NOT_FOUND",
      message: 'Path "project" does not exist as a memory: it is a folder of memories',
    });
    expect(await bench.files()).toEqual({ "/project/todo": content });
    await bench.call("drop_memory", { path });
    expect(await bench.call("drop_memory", { path: "project" })).toMatchObject({ error_code: "MEMORY_NOT_FOUND" });
  });
});

describe("clear_memory", () => {
  it("deletes all and answers how many memories went", async () => {
    const bench = await withOne();
    for (const name of ["a", "b/c/d"]) await bench.call("add_memory", { path: name, content: name });
    expect(await bench.text("clear_memory", {})).toBe(
      "status: ok\ncleared_count: 3\ncleared_at: 2026-01-15T10:00:00.120Z\n",
    );
    expect(await bench.memory.list()).toEqual([]);
  });

  it("succeeds where nothing is stored", async () => {
    const cleared = "status: ok\ncleared_count: 0\ncleared_at: 2026-01-15T10:00:00.120Z\n";
    const bench = new RecordBench();
    expect(await bench.text("clear_memory", {})).toBe(cleared);
    expect(await bench.text("clear_memory", {})).toBe(cleared);
  });

  it("deletes what others wrote too, hidden files included", async () => {
    const bench = await withOne();
    for (const name of ["/.journal/3f", "/MEMORY.md"]) await bench.memory.write(name, "x");
    expect(await bench.call("clear_memory", {})).toMatchObject({ cleared_count: 3 });
    expect(await bench.files()).toEqual({});
  });

  it("leaves a path free for a folder or a memory", async () => {
    const bench = await withOne();
    await bench.call("clear_memory", {});
    expect(await bench.call("add_memory", { path: "project", content })).toMatchObject({ status: "ok" });
  });
});

describe("the tools", () => {
  it("work on a memory of either path rule", async () => {
    for (const paths of ["plain", "posix"] as const) {
      const bench = new RecordBench(openMemory(new InMemoryStore(), freshAddress(), { paths }));
      expect(await bench.call("add_memory", { path, content })).toMatchObject({ status: "ok" });
      expect(await bench.call("replace_memory", { path: "none", content })).toMatchObject({
        error_code: "MEMORY_NOT_FOUND",
      });
    }
  });

  it("use the system's clock where none is given", async () => {
    const before = new Date().toISOString();
    const [add] = createRecordTools(openMemory(new InMemoryStore(), freshAddress()));
    const time = /created_at: (\S+)\n$/.exec(String(await add?.invoke({ path, content })))?.[1] ?? "";
    expect([before, time, new Date().toISOString()].toSorted()[1]).toBe(time);
  });

  it("tell the model these names, arguments and limits", () => {
    const tools = new RecordBench().tools.map(({ name, schema, description }) => ({ name, schema, description }));
    const text = { type: "string", description: expect.any(String) };
    const getSchema = (properties: object): object => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
    const description = expect.any(String);
    expect(tools).toEqual([
      { name: "add_memory", schema: getSchema({ path: text, content: text }), description },
      { name: "replace_memory", schema: getSchema({ path: text, content: text }), description },
      { name: "drop_memory", schema: getSchema({ path: text }), description },
      { name: "clear_memory", schema: getSchema({ reason: { anyOf: [text, { type: "null" }] } }), description },
    ]);
    expect(JSON.stringify(tools)).toMatch(/255 characters.*1 MB/);
  });
});
