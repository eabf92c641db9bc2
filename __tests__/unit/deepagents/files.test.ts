import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, type MemoryOptions, openMemory } from "../../../src/index.js";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { freshAddress } from "../../helpers/memory-case.js";

const store = new InMemoryStore();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function start(options?: MemoryOptions): { memory: Memory; backend: DeepAgentsBackend } {
  const memory = openMemory(store, freshAddress(), options);
  return { memory, backend: new DeepAgentsBackend(memory) };
}

describe("read", () => {
  it("tells the window, and where the next one begins", async () => {
    const { backend } = start();
    await backend.write("/f.md", "a\nb\nc\n");
    expect(await backend.read("/f.md", 1, 1)).toEqual({
      content: "b",
      mimeType: "text/markdown",
      totalLines: 3,
      startLine: 2,
      endLine: 2,
      nextOffset: 2,
    });
    expect(await backend.read("/f.md")).toEqual({
      content: "a\nb\nc\n",
      mimeType: "text/markdown",
      totalLines: 3,
      startLine: 1,
      endLine: 3,
    });
  });

  it("reads 500 lines unless told otherwise, and all for an infinite limit", async () => {
    const { backend } = start();
    await backend.write("/f", "line\n".repeat(501));
    expect(await backend.read("/f")).toMatchObject({ endLine: 500, nextOffset: 500 });
    expect(await backend.read("/f", 0, Number.POSITIVE_INFINITY)).toMatchObject({ endLine: 501 });
  });

  it("refuses an offset behind the last line", async () => {
    const { backend } = start();
    await backend.write("/f", "a\nb\n");
    expect(await backend.read("/f", 2)).toEqual({ error: "Line offset 2 exceeds file length (2 lines)" });
  });

  it("shows as text what another tool has put under the name of an image", async () => {
    const { memory, backend } = start();
    await memory.write("/chart.PNG", "a description");
    expect(await backend.read("/chart.PNG")).toMatchObject({ content: "a description", mimeType: "text/plain" });
  });
});

describe("readRaw", () => {
  it("answers the whole text with its times", async () => {
    const { memory, backend } = start();
    const { createdAt } = await memory.write("/a/f.json", "{}");
    const { data, error } = await backend.readRaw("a/f.json");
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ content: "{}", mimeType: "application/json", created_at: createdAt.toISOString() });
    expect(Date.parse(data?.modified_at ?? "")).toBeGreaterThanOrEqual(createdAt.getTime());
  });

  it.each(["/none", "/a", "/"])("finds no file at %s", async (path) => {
    const { backend } = start();
    await backend.write("/a/f", "x");
    expect(await backend.readRaw(path)).toEqual({ error: `File '${path}' not found` });
  });
});

describe("write", () => {
  it("creates by the rule posix, whatever the memory's own is, and replaces", async () => {
    const { memory, backend } = start({ paths: "plain" });
    expect(await backend.write("/notes/ä.md", "one")).toEqual({ path: "/notes/ä.md", filesUpdate: null });
    expect(await backend.write("/notes/ä.md", "two")).toEqual({ path: "/notes/ä.md", filesUpdate: null });
    expect(await memory.read("/notes/ä.md")).toBe("two");
  });

  it.each([
    ["/", "Error: EISDIR: path is a directory"],
    ["/dir", "Error: EISDIR: path is a directory"],
    ["/dir/f/below", "Error: ENOTDIR: a parent of the path is a file"],
    ["/dir/../f", 'Error: invalid path: ".." not allowed'],
    ["/chart.png", "Error: EACCES: only text can be kept here, no images, sounds, films or other binary files"],
    ["/Report.PDF", "Error: EACCES: only text can be kept here, no images, sounds, films or other binary files"],
  ])("refuses %s", async (path, error) => {
    const { memory, backend } = start();
    await backend.write("/dir/f", "x");
    expect(await backend.write(path, "aGk=")).toEqual({ error });
    expect((await memory.snapshot()).files.map((file) => file.path)).toEqual(["/dir/f"]);
  });

  it("refuses what is too large or no text", async () => {
    const backend = new DeepAgentsBackend(openMemory(store, freshAddress(), { maxFileBytes: 10 }));
    expect((await backend.write("/f", "x".repeat(11))).error).toMatch(/^Error: EFBIG: /);
    expect((await backend.write("/f", "\ud800")).error).toMatch(/^Error: content is not well-formed/);
  });
});

describe("edit", () => {
  it("takes both texts literally", async () => {
    const { memory, backend } = start();
    await backend.write("/f", "costs .* EUR");
    expect(await backend.edit("/f", ".*", "$& $1 \\1")).toEqual({ path: "/f", filesUpdate: null, occurrences: 1 });
    expect(await memory.read("/f")).toBe("costs $& $1 \\1 EUR");
  });

  it("changes nothing where the text occurs nowhere, or more than once", async () => {
    const { memory, backend } = start();
    await backend.write("/f", "aXbX");
    expect(await backend.edit("/f", "Y", "Z")).toEqual({ error: "Error: String not found in file: 'Y'" });
    expect((await backend.edit("/f", "X", "Z")).error).toMatch(
      /^Error: String 'X' has multiple occurrences \(appears 2 times\) in file\. /,
    );
    expect(await memory.read("/f")).toBe("aXbX");
    expect(await backend.edit("/f", "X", "Z", true)).toMatchObject({ occurrences: 2 });
    expect(await memory.read("/f")).toBe("aZbZ");
  });

  it("never leaves half a character", async () => {
    const { memory, backend } = start();
    await backend.write("/f", "😀");
    expect((await backend.edit("/f", "\ud83d", "x")).error).toMatch(/^Error: the edited text is not well-formed/);
    expect(await memory.read("/f")).toBe("😀");
  });
});

describe("delete", () => {
  it("takes a directory with all below it, and nothing beside it", async () => {
    const { memory, backend } = start();
    for (const path of ["/d/f", "/d/e/g", "/d2"]) await backend.write(path, "x");
    expect(await backend.delete("/d/")).toEqual({ path: "/d/", filesUpdate: null });
    expect((await memory.snapshot()).files.map((file) => file.path)).toEqual(["/d2"]);
    expect(await backend.delete("/d")).toEqual({ error: "Error: File '/d' not found" });
  });

  it("empties the root, even an empty one", async () => {
    const { backend } = start();
    expect(await backend.delete("/")).toEqual({ path: "/", filesUpdate: null });
    await backend.write("/d/f", "x");
    expect(await backend.delete("/")).toEqual({ path: "/", filesUpdate: null });
    expect(await backend.ls("/")).toEqual({ files: [] });
  });
});

describe("downloads and uploads", () => {
  it("give back what was given, byte for byte, a byte order mark too", async () => {
    const { backend } = start();
    const content = bytes("\ufeffä\r\n😀");
    expect(
      await backend.uploadFiles([
        ["/f.md", content],
        ["/empty", bytes("")],
      ]),
    ).toEqual([
      { path: "/f.md", error: null },
      { path: "/empty", error: null },
    ]);
    expect(await backend.downloadFiles(["/f.md"])).toEqual([{ path: "/f.md", content, error: null }]);
    expect(await backend.downloadFiles(["/f.md", "/empty"])).toEqual([
      { path: "/f.md", content, error: null },
      { path: "/empty", content: bytes(""), error: null },
    ]);
  });

  it.each([
    [["/none"], ["file_not_found"]],
    [["/d"], ["is_directory"]],
    [["/../f"], ["invalid_path"]],
    [
      ["/none", "/d", "/../f"],
      ["file_not_found", "is_directory", "invalid_path"],
    ],
  ])("of %j are refused as %j", async (paths, errors) => {
    const { backend } = start();
    await backend.write("/d/f", "x");
    expect(await backend.downloadFiles(paths)).toEqual(
      paths.map((path, index) => ({ path, content: null, error: errors[index] })),
    );
  });

  it("say of each upload what became of it", async () => {
    const { memory } = start();
    const told: string[] = [];
    const backend = new DeepAgentsBackend(memory, { onError: ({ code }) => told.push(code) });
    const binary = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]);
    const uploads: [string, Uint8Array][] = [
      ["/f", bytes("old")],
      ["/f/below", bytes("x")],
      ["/b.png", binary],
      ["/", bytes("x")],
      ["/f", bytes("new")],
    ];
    const answers = await backend.uploadFiles(uploads);
    expect(answers.map(({ error }) => error)).toEqual([
      null,
      "invalid_path",
      "permission_denied",
      "is_directory",
      null,
    ]);
    expect(told).toEqual(["EACCES"]);
    expect((await memory.snapshot()).files.map(({ path, content }) => [path, content])).toEqual([["/f", "new"]]);
  });
});
