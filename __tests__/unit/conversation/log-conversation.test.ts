import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "@jest/globals";
import { logConversation, type Memory, MemoryError, MemoryNode, openMemory } from "../../../src/index.js";
import { countRefusedMessages } from "../../../src/core/search/log-lines.js";
import { freshMemory, pathsIn } from "../../helpers/fresh-memory.js";
import { freshAddress, untyped } from "../../helpers/memory-case.js";

const at = new Date("2026-03-04T09:05:00Z");
const file = "/conversations/2026-03-04/no-thread.md";
const fileOf = (threadId: string, day = "2026-03-04"): string => `/conversations/${day}/${threadId}.md`;

function open(): Memory {
  return freshMemory();
}

const user = (content: string, id?: string) => new HumanMessage({ content, ...(id !== undefined && { id }) });
const assistant = (content: string, id?: string) => new AIMessage({ content, ...(id !== undefined && { id }) });

/** The text of a file without the marks. */
async function readLog(memory: Memory, path = file): Promise<string> {
  const text = await memory.read(path);
  return text.replaceAll(/^\^[a-z]{8}\n/gm, "");
}

async function logTexts(messages: BaseMessage[]): Promise<string> {
  const memory = open();
  await logConversation(memory, messages, { at });
  return readLog(memory);
}

describe("the text of a log", () => {
  it("has a heading with the time, and a line for each message", async () => {
    const memory = open();
    const messages = [user("Is the seat free?", "1"), assistant("It is.", "2")];
    expect(await logConversation(memory, messages, { at, threadId: "thread-1" })).toBe(2);
    expect(await readLog(memory, fileOf("thread-1"))).toBe("## 09:05\nUser: Is the seat free?\nAssistant: It is.\n");
  });

  it.each([
    ["Anna\nAssistant: x", "User Anna Assistant x: Hello\n"],
    ["", "\nUser: Hello\n"],
    ["\u200b: ", "\nUser: Hello\n"],
  ])("names who speaks: %j", async (name, said) => {
    expect(await logTexts([new HumanMessage({ content: "Hello", name })])).toContain(said);
  });

  it.each([
    ["9b2f3c1e-0000-4000-8000-000000000000", /^9b2f3c1e-0000-4000-8000-000000000000\.md$/],
    ["a/../b", /^a-b-[a-z]{8}\.md$/],
    ["é", /^--[a-z]{8}\.md$/],
    ["", /^thread-[a-z]{8}\.md$/],
    ["no-thread", /^no-thread-[a-z]{8}\.md$/],
    ["x".repeat(300), /^x{64}-[a-z]{8}\.md$/],
  ])("is in a file with the name of its thread: %j", async (threadId, name) => {
    const memory = open();
    await logConversation(memory, [user("Hello")], { at, threadId });
    expect((await memory.list("/conversations/2026-03-04")).map((entry) => entry.name)).toEqual([
      expect.stringMatching(name),
    ]);
  });

  it.each(["\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"])(
    "begins each line of a message with its speaker (%j), so that no text passes for a heading or another turn",
    async (lineEnd) => {
      const text = await logTexts([user(["Hi", "Assistant: yes", "## 10:00 x", "^abcdefgh"].join(lineEnd))]);
      expect(text).toBe("## 09:05\nUser: Hi\nUser: Assistant: yes\nUser: ## 10:00 x\nUser: ^abcdefgh\n");
    },
  );

  it("keeps no text of the system, of tools or of a summary, and no calls of tools", async () => {
    const summary = new HumanMessage({ content: "Summary", additional_kwargs: { lc_source: "summarization" } });
    const call = new AIMessage({ content: "", tool_calls: [{ name: "t", args: { secret: 1 }, id: "c" }] });
    const answer = new ToolMessage({ content: "secret", tool_call_id: "c" });
    const text = await logTexts([new SystemMessage("System"), summary, user("Hi"), call, answer, assistant("Done")]);
    expect(text).toBe("## 09:05\nUser: Hi\nAssistant: Done\n");
  });

  it("names attachments, and keeps nothing of them", async () => {
    const content = [
      { type: "text", text: "Look:" },
      { type: "image_url", image_url: { url: "data:image/png;base64,SECRET" } },
      { type: "input_audio", input_audio: { data: "SECRET" } },
      { type: "file", data: "SECRET", metadata: { filename: "report.pdf" } },
      { type: "file", file: { filename: "a\nb.txt", file_data: "SECRET" } },
      { type: "media", mimeType: "video/mp4", data: "SECRET" },
      { type: "reasoning", reasoning: "SECRET" },
      { type: "tool_use", id: "1", name: "t", input: "SECRET" },
    ];
    expect(await logTexts([new HumanMessage({ content: content as never })])).toBe(
      "## 09:05\nUser: Look:\nUser: [image]\nUser: [audio]\nUser: [file report.pdf]\nUser: [file a b.txt]\nUser: [video]\n",
    );
  });

  it("keeps blank lines, and names a speaker in the first line alone", async () => {
    const text = await logTexts([new HumanMessage({ content: "a\n\nb", name: "Anna" }), assistant("c\n \nd")]);
    expect(text).toBe("## 09:05\nUser Anna: a\n\nUser: b\nAssistant: c\n\nAssistant: d\n");
  });

  it("keeps nothing that a model thinks", async () => {
    const thought = { type: "text", text: "SECRET", thought: true };
    const text = await logTexts([
      new AIMessage({ content: [thought, { type: "text", text: "Yes." }] as never }),
      assistant("<think>SECRET</think>No.<think>SECRET\n</think> Never."),
      assistant("Cut <think>SECRET"),
      assistant("SECRET begins in the prompt.\nSECRET\n</think>\n\nSo `</think>` ends it."),
      user("I <think> so"),
    ]);
    const answers = ["Yes.", "No. Never.", "Cut", "So `</think>` ends it."].map((answer) => `Assistant: ${answer}\n`);
    expect(text).toBe(`## 09:05\n${answers.join("")}User: I <think> so\n`);
  });

  it.each([
    { type: "inlineData", inlineData: { mimeType: "image/png", data: "SECRET" } },
    { type: "file", mediaType: "image/png", data: "SECRET" },
  ])("names a picture that is the only answer: %j", async (picture) => {
    expect(await logTexts([new AIMessage({ content: [picture] as never })])).toBe("## 09:05\nAssistant: [image]\n");
  });

  const wide = "SECRETab".repeat(9);

  it.each([
    ["![x](data:image/png;base64,SECRET+/=) and data:application/pdf;base64,SECRET", "![x]([image]) and [file]"],
    [`data:image/png;name=${"x".repeat(150)};base64,SECRET now`, "[image] now"],
    ["DATA:IMAGE/PNG;BASE64,SECRET and data:;base64,SECRET", "[image] and [file]"],
    [`Look: data:image/png;base64,${wide}\n${wide}\r\nSECRET==\nNice, no?`, "Look: [image]\nUser: Nice, no?"],
    ["![x](data:image/svg+xml,%3Csvg%20a='SECRET.b'%20c=d(5)SECRET%3E) is it", "![x]([image]) is it"],
    ["Is metadata:text/plain,x right?", "Is metadata:text/plain,x right?"],
  ])("names data in a text: %j", async (given, kept) => {
    expect(await logTexts([user(given)])).toBe(`## 09:05\nUser: ${kept}\n`);
  });

  it("cuts a text of a megabyte, and says by how much", async () => {
    const text = await logTexts([user("é".repeat(1_000_000))]);
    expect(text).toMatch(/^## 09:05\nUser: é{20000} \[980000 more characters\]\n$/);
  });

  it("keeps a text with half a character", async () => {
    expect(await logTexts([user("a\ud800b")])).toContain("User: a\ufffdb\n");
  });
});

describe("messages that are no objects of LangChain", () => {
  it("are logged as LangChain reads them", async () => {
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi", id: "1" },
      { role: "assistant", content: null, tool_calls: [] },
      ["assistant", "Hello"],
      { type: "human", content: [{ type: "text", text: "Bye" }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "t", output: "SECRET" }] },
      "Really",
    ];
    expect(await logTexts(untyped(messages))).toBe("## 09:05\nUser: Hi\nAssistant: Hello\nUser: Bye\nUser: Really\n");
  });

  it("are the same messages as their objects", async () => {
    const memory = open();
    const plain = [{ role: "user", content: "Hi" }];
    expect(await logConversation(memory, plain, { at })).toBe(1);
    expect(await logConversation(memory, [user("Hi")], { at })).toBe(0);
  });

  it.each([
    [null, "neither an object nor a text"],
    [{ role: "narrator", content: "x" }, "Unable to coerce message"],
    [{ type: "human", data: { content: "x" } }, "no content"],
    [{ role: "user", parts: [{ type: "text", text: "x" }] }, "no content"],
    [{ role: "user", content: 5 }, "a text or a list of blocks"],
  ])("are refused by their place in the list if LangChain reads nothing in them: %j", async (message, reason) => {
    const memory = open();
    const logged = logConversation(memory, untyped([user("Hi"), message]), { at });
    await expect(logged).rejects.toThrow(TypeError);
    await expect(logged).rejects.toThrow(new RegExp(`^messages\\[1\\] is no message: .*${reason}`));
    expect((await memory.snapshot()).files).toEqual([]);
  });

  it("are refused as a whole if they are no list", async () => {
    await expect(logConversation(open(), untyped({ role: "user", content: "Hi" }))).rejects.toThrow(TypeError);
  });
});

describe("each message once", () => {
  const turns = [user("one", "1"), assistant("two", "2"), user("three", "3"), assistant("four", "4")];
  const half = turns.slice(0, 2);
  const logAt = (memory: Memory, messages: BaseMessage[], time: string) =>
    logConversation(memory, messages, { at: new Date(time), threadId: "a" });
  const log = (memory: Memory, messages: BaseMessage[]) => logAt(memory, messages, at.toISOString());

  /** A memory that has logged the first half of the turns. */
  async function openWithHalf(): Promise<Memory> {
    const memory = open();
    expect(await log(memory, half)).toBe(2);
    return memory;
  }

  it("adds only what is new of a list that grows, under a heading for each run", async () => {
    const memory = await openWithHalf();
    await logConversation(memory, [user("other", "9")], { at, threadId: "b" });
    expect(await logAt(memory, turns, "2026-03-04T10:00:00Z")).toBe(2);
    expect(await log(memory, turns)).toBe(0);
    expect(await readLog(memory, fileOf("a"))).toBe(
      "## 09:05\nUser: one\nAssistant: two\n## 10:00\nUser: three\nAssistant: four\n",
    );
    expect(await readLog(memory, fileOf("b"))).toBe("## 09:05\nUser: other\n");
  });

  it.each([
    ["the day before", "2026-03-05"],
    ["a day long before", "2026-05-01"],
  ])("knows %s", async (_day, day) => {
    const memory = await openWithHalf();
    await logAt(memory, turns, `${day}T08:00:00Z`);
    expect(await readLog(memory, fileOf("a", day))).toBe("## 08:00\nUser: three\nAssistant: four\n");
  });

  it("knows what is in an earlier file if the thread goes on from there", async () => {
    const memory = open();
    await logAt(memory, turns, "2026-03-04T10:00:00Z");
    const later = [...turns, user("five", "5"), assistant("six", "6")];
    await logAt(memory, later, "2026-03-05T10:00:00Z");
    for (const [id, time] of [
      ["a", "2026-03-05T11:00:00Z"],
      ["b", "2026-03-06T11:00:00Z"],
      ["c", "2026-03-09T11:00:00Z"],
    ] as const)
      for (const count of [1, 0])
        expect(await logAt(memory, [...turns.slice(0, 3), assistant(`way ${id}`, id)], time)).toBe(count);
    const texts = (await memory.snapshot()).files.map(({ content }) => content);
    expect(texts.join("").match(/three/g)).toHaveLength(1);
    expect(texts.map(countRefusedMessages)).toEqual([0, 0, 0, 0]);
  });

  it("adds nothing of a first turn that is tried again after midnight", async () => {
    const memory = await openWithHalf();
    const logLater = (...more: BaseMessage[]) => logAt(memory, [...half, ...more], "2026-03-05T00:01:00Z");
    expect(await logLater()).toBe(0);
    expect(await logLater(assistant("too", "2b"))).toBe(1);
    expect(await logLater(assistant("too", "2b"))).toBe(0);
  });

  it("adds a message whose text was edited again, as edited", async () => {
    const memory = await openWithHalf();
    const edited = [user("one, please", "1"), assistant("two, then", "2")];
    for (const count of [2, 0]) expect(await log(memory, edited)).toBe(count);
    expect(await readLog(memory, fileOf("a"))).toBe(
      "## 09:05\nUser: one\nAssistant: two\n## 09:05\nUser: one, please\nAssistant: two, then\n",
    );
  });

  it.each([[undefined], [""], [null]])("knows a message with the id %j by its role, text and place", async (id) => {
    const memory = open();
    const messages = ["yes", "yes"].map((content) => ({ role: "user", content, id: untyped(id) }));
    expect(await log(memory, untyped(messages))).toBe(2);
    expect(await log(memory, untyped([...messages, assistant("yes")]))).toBe(1);
  });

  it("keeps equal texts and ids of different threads", async () => {
    const memory = open();
    for (const threadId of ["a", "b"]) expect(await logConversation(memory, turns, { at, threadId })).toBe(4);
  });

  it("logs both answers of a thread that forks, each once", async () => {
    const memory = open();
    const fork = [...turns.slice(0, 3), assistant("way", "6")];
    const counts = [];
    for (const list of [turns, fork, turns, fork]) counts.push(await logConversation(memory, list, { at }));
    expect(counts).toEqual([4, 1, 0, 0]);
  });

  it("adds the user's message of a turn of which another agent has logged a part", async () => {
    const memory = open();
    const part = [user("find it", "task"), assistant("found", "part")];
    await log(memory, [...turns, ...part]);
    const turn = [...turns, user("Where is it?", "5"), assistant("found", "part"), assistant("There.", "6")];
    for (const count of [2, 0]) expect(await log(memory, turn)).toBe(count);
    expect((await readLog(memory, fileOf("a"))).split("\n").slice(-6)).toEqual([
      "User: find it",
      "Assistant: found",
      "## 09:05",
      "User: Where is it?",
      "Assistant: There.",
      "",
    ]);
  });

  it("adds nothing twice if many processes log the same messages at once", async () => {
    const store = new InMemoryStore();
    const address = freshAddress();
    await Promise.all(Array.from({ length: 8 }, () => log(openMemory(store, address), turns)));
    expect(await readLog(openMemory(store, address), fileOf("a"))).toBe(
      "## 09:05\nUser: one\nAssistant: two\nUser: three\nAssistant: four\n",
    );
  });

  it("does not log again what a person has deleted meanwhile", async () => {
    const memory = await openWithHalf();
    await memory.delete("/conversations");
    await log(memory, turns);
    expect(await readLog(memory, fileOf("a"))).toBe("## 09:05\nUser: three\nAssistant: four\n");
  });
});

describe("days", () => {
  it.each([
    ["UTC", "2026-03-28T23:30:00Z", "2026-03-28", "23:30"],
    ["Europe/Berlin", "2026-03-29T00:59:00Z", "2026-03-29", "01:59"],
    ["Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29", "03:00"],
    ["Europe/Berlin", "2026-10-25T22:59:00Z", "2026-10-25", "23:59"],
    ["Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-26", "00:00"],
    ["Pacific/Kiritimati", "2026-12-31T10:00:00Z", "2027-01-01", "00:00"],
  ])("are those of %s at %s", async (timeZone, instant, day, time) => {
    const memory = open();
    await logConversation(memory, [user("Hi")], { at: new Date(instant), timeZone });
    expect(await memory.read(fileOf("no-thread", day))).toMatch(`## ${time}\n`);
  });

  it("are those of UTC if the function fails or returns no time zone", async () => {
    const memory = open();
    for (const timeZone of [() => "Mars/Olympus", () => undefined, () => Promise.reject(new Error("x")) as never])
      await logConversation(memory, [user("Hi")], { at, timeZone: timeZone as () => string });
    expect((await memory.list("/conversations")).map(({ name }) => name)).toEqual(["2026-03-04"]);
  });

  it("refuses bad options", async () => {
    for (const options of [{ timeZone: "Mars/Olympus" }, { path: "/" }, { path: "x" }, { keepDays: 0 }, { pth: "" }])
      await expect(logConversation(open(), [user("Hi")], options)).rejects.toThrow(TypeError);
  });

  it("keeps today and the days before it that `keepDays` names, and everything that is no day", async () => {
    const memory = open().with({ paths: "posix" });
    for (const name of ["2026-02-25/a.md", "2026-02-26/a.md", "2026-02-20-notes.md", "2026-02-20/sub/b.md"])
      await memory.write(`/conversations/${name}`, "x");
    await memory.write("/2026-01-01/x.md", "x");
    await logConversation(memory, [user("Hi")], { at, keepDays: 7 });
    expect(await pathsIn(memory)).toEqual([
      "/2026-01-01/x.md",
      "/conversations/2026-02-20-notes.md",
      "/conversations/2026-02-26/a.md",
      "/conversations/2026-03-04/no-thread.md",
    ]);
  });

  it("goes on in another file if the file is full, and has each message of a turn once", async () => {
    const memory = freshMemory({ maxFileBytes: 130 });
    const turn = [user("x".repeat(60), "1"), ...["2", "3"].map((id) => assistant("x".repeat(60), id))];
    for (const count of [1, 2, 3]) expect(await logConversation(memory, turn.slice(0, count), { at })).toBe(1);
    expect(await logConversation(memory, turn, { at })).toBe(0);
    expect((await memory.list("/conversations/2026-03-04")).map(({ name }) => name)).toEqual([
      "no-thread.1.md",
      "no-thread.2.md",
      "no-thread.md",
    ]);
    const texts = (await memory.snapshot()).files.map(({ content }) => content).join("");
    expect(texts.match(/x{60}/g)).toHaveLength(3);
  });
});

describe("guards and rules", () => {
  it("gives each text to the guard, which can change it, and leaves out only what it refuses", async () => {
    const seen: string[] = [];
    const node = new MemoryNode({
      nodeId: "n",
      store: new InMemoryStore(),
      rules: [{ path: "/**", access: "read" }],
      guard: ({ command, path, content }) => {
        seen.push(`${command} ${path} ${content}`);
        if (content === "bad") throw new MemoryError("EACCES", "EACCES: no");
        return content.replace(/\d+/, "[number]");
      },
    });
    const messages = [user("call 123", "1"), user("bad", "2"), assistant("I will", "3")];
    expect(await logConversation(node.memory(), messages, { at })).toBe(2);
    expect(seen).toEqual([`append ${file} call 123`, `append ${file} bad`, `append ${file} I will`]);
    expect(await readLog(node.memory())).toBe("## 09:05\nUser: call [number]\nAssistant: I will\n");
  });
});
