import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, openMemory } from "../../../src/index.js";
import { freshMemory } from "../../helpers/fresh-memory.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { createNamespace } from "../../helpers/addresses.js";
import { callsOf, type Note, textOf, type WayIn, waysIn } from "../../helpers/ways-in.js";

const anyMemory = freshMemory();

/** The names of the ways in that can do it. */
const ableTo = (act: keyof WayIn): string[] =>
  Object.keys(waysIn).filter((name) => waysIn[name]?.(anyMemory)[act] !== undefined);

/** One memory, which each way in opens for itself. What a backend adds is shown by the suites of backends. */
class Mixed {
  readonly #store = new InMemoryStore();
  readonly #address = freshAddress();

  readonly open = (): Memory => openMemory(this.#store, this.#address);

  /** Puts a text into the storage without any memory. */
  byHand(path: string, text: string): Promise<void> {
    return this.#store.put(createNamespace(this.#address), path, { content: text });
  }

  way(name: string): WayIn {
    return waysIn[name]?.(this.open()) ?? {};
  }

  /** A note of this way's own. */
  async written(name: string): Promise<Note> {
    const { home = "", needsFile, write } = this.way(name);
    const note = { path: home, key: `key of ${name}`, body: `what ${name} wrote: é 🧠 $& \\1` };
    if (needsFile) await this.open().write(home, "");
    await write?.(note);
    return note;
  }

  /** What each way in reads. */
  async reads(note: Note): Promise<Record<string, string | null | undefined>> {
    const texts = await Promise.all(
      ableTo("read").map(async (name) => [name, await this.way(name).read?.(note)] as const),
    );
    return Object.fromEntries(texts);
  }

  /** The files of the journal's reservations. */
  async reservations(): Promise<[path: string, content: string][]> {
    const { files } = await this.open().snapshot();
    return files.filter(({ path }) => path.startsWith("/.journal/")).map(({ path, content }) => [path, content]);
  }
}

/** What all should read. */
const byAll = (text: string | null): Record<string, string | null> =>
  Object.fromEntries(ableTo("read").map((name) => [name, text]));

describe("the ways in", () => {
  it("are all here, with what they can do", () => {
    expect(ableTo("write")).toEqual(["program", "unified", "claude", "journal", "records"]);
    expect(ableTo("read")).toEqual(["program", "unified", "claude", "journal", "prompt"]);
    expect(ableTo("change")).toEqual(["program", "unified", "claude", "journal", "records"]);
    expect(ableTo("remove")).toEqual(["program", "unified", "claude", "records"]);
  });
});

describe("one memory", () => {
  it.each(ableTo("write"))("what %s wrote, all others read to the letter", async (writer) => {
    const mixed = new Mixed();
    const note = await mixed.written(writer);
    expect(await mixed.reads(note)).toEqual(byAll(textOf(note)));
  });

  it.each(ableTo("change"))("what a hand put into the storage, all read and %s changes", async (changer) => {
    const mixed = new Mixed();
    const note = { path: "/hand/made.md", key: "by hand", body: "typed é 🧠" };
    await mixed.byHand(note.path, textOf(note));
    expect(await mixed.reads(note)).toEqual(byAll(textOf(note)));
    await mixed.way(changer).change?.(note, "changed");
    await mixed.byHand("/hand/other.md", "typed later");
    expect(await mixed.reads(note)).toEqual(byAll(textOf({ ...note, body: "changed" })));
    const { files } = await mixed.open().snapshot();
    expect(files.map(({ path }) => path).filter((path) => !path.startsWith("/.journal/"))).toEqual([
      note.path,
      "/hand/other.md",
    ]);
  });

  const pairs = ableTo("write").flatMap((writer) => [
    ...ableTo("change").map((other) => ({ writer, act: "change" as const, other })),
    ...ableTo("remove").map((other) => ({ writer, act: "remove" as const, other })),
  ]);

  it.each(pairs)("what $writer wrote, and $other did $act, all read or miss", async ({ writer, act, other }) => {
    const mixed = new Mixed();
    const note = await mixed.written(writer);
    const beside = await mixed.written(writer === "program" ? "claude" : "program");
    const body = `what ${other} made of it: $& \\1`;
    await mixed.way(other)[act]?.(note, body);
    expect(await mixed.reads(note)).toEqual(byAll(act === "change" ? textOf({ ...note, body }) : null));
    expect(await mixed.reads(beside)).toEqual(byAll(textOf(beside)));
  });

  it.each(["/my notes.txt", "/é/$x", "/.hidden", "/a+b"])(
    "%p, which some dialects cannot create, they list, read, change and delete",
    async (path) => {
      const mixed = new Mixed();
      const [unified, records] = [
        callsOf.unified(mixed.open().with({ paths: "plain" })),
        callsOf.records(mixed.open()),
      ];
      const append = { command: "append", path, content: "more" };
      await expect(unified("memory", append)).rejects.toThrow("EINVAL");
      await expect(records("add_memory", { path: path.slice(1), content: "x" })).rejects.toThrow("MEMORY_PATH_INVALID");
      await callsOf.claude(mixed.open())("memory", { command: "create", path: `/memories${path}`, file_text: "text" });
      const [entry] = await mixed.open().list();
      expect(await unified("memory", { command: "list", path: "/" })).toContain(JSON.stringify(entry));
      expect(await unified("memory", { command: "read", path })).toContain('"content":"text"');
      await unified("memory", append);
      await unified("memory", { command: "update", path, oldContent: "text", content: "$&" });
      expect(await mixed.open().read(path)).toBe("$&\nmore");
      await records("replace_memory", { path: path.slice(1), content: "whole" });
      expect(await mixed.open().read(path)).toBe("whole");
      await records("drop_memory", { path: path.slice(1) });
      await expect(unified("memory", { command: "read", path })).rejects.toThrow("EINVAL");
    },
  );

  it("leaves the journal's reservations alone in other dialects, and their files in the journal", async () => {
    const mixed = new Mixed();
    for (const writer of ableTo("write")) await mixed.written(writer);
    const journal = callsOf.journal(mixed.open());
    await journal("memory_write", { key: "the last", content: "x" });
    const reservations = await mixed.reservations();
    expect(reservations.length).toBeGreaterThan(1);
    for (const changer of ["unified", "claude", "records"]) {
      const { home = "" } = mixed.way(changer);
      await mixed.way(changer).change?.({ path: home, key: `key of ${changer}`, body: `what ${changer} wrote` }, "x");
      await mixed.way(changer).remove?.({ path: home, key: "", body: "" });
    }
    await callsOf.records(mixed.open())("add_memory", { path: "project/todo", content: "### the last\n" });
    expect(await mixed.reservations()).toEqual(reservations);
    const view = await callsOf.claude(mixed.open())("memory", { command: "view", path: "/memories" });
    expect(view).not.toContain(".journal");
    await journal("memory_update", { key: "the last", content: "y" });
    await journal("memory_write", { key: "key of claude", content: "free again" });
    expect(await mixed.open().read("/project/todo")).toBe("### the last\n");
    expect(await mixed.open().read("/notes/by hand.md")).toBe(
      textOf({ key: "key of program", body: "what program wrote: é 🧠 $& \\1" }),
    );
  });

  it.each(["unified", "claude", "records"])(
    "lets %s take the journal's reservations away, and no key is lost or doubled",
    async (remover) => {
      const mixed = new Mixed();
      const note = await mixed.written("journal");
      const [part] = await mixed.reservations();
      const folder = { path: remover === "records" ? (part?.[0] ?? "") : "/.journal", key: "", body: "" };
      await mixed.way(remover).remove?.(folder);
      expect(await mixed.reservations()).toEqual([]);
      await expect(callsOf.journal(mixed.open())("memory_write", { key: note.key, content: "x" })).rejects.toThrow(
        "MEMORY_KEY_EXISTS",
      );
      expect(await mixed.reads(note)).toEqual(byAll(textOf(note)));
    },
  );

  it("cleared by records is empty for all, and each key is free at once", async () => {
    const mixed = new Mixed();
    for (const writer of ableTo("write")) await mixed.written(writer);
    const { files } = await mixed.open().snapshot();
    const answer = await callsOf.records(mixed.open())("clear_memory", {});
    expect(answer).toContain(`cleared_count: ${files.length}\n`);
    expect(await mixed.open().snapshot()).toMatchObject({ files: [], directories: [] });
    for (const writer of ableTo("write")) {
      const note = await mixed.written(writer);
      expect(await mixed.reads(note)).toEqual(byAll(textOf(note)));
    }
  });
});
