import { createRequire } from "node:module";
import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { placeMemory, type PlaceOptions } from "../../../src/prompt/place.js";

const memory = "<memory>notes</memory>";
const user = new HumanMessage("hi");
const cached = { type: "text", text: "cached", cache_control: { type: "ephemeral" } };
const image = { type: "image_url", image_url: { url: "data:," } };

/** What goes out, in short: [type, content]. */
function placed(messages: BaseMessage[], placement: PlaceOptions["placement"], separate: boolean): unknown[] {
  return placeMemory(messages, memory, { placement, separate }).map(({ type, content }) => [type, content]);
}

const text = (content: string): object => ({ type: "text", text: content });

describe("a memory merged into the system message", () => {
  it("folds all leading system messages into one", () => {
    const history = [new SystemMessage("one"), new SystemMessage("two"), user];
    expect(placed(history, "after_system", false)).toEqual([
      ["system", [text("one"), text("\n\ntwo"), text(`\n\n${memory}`)]],
      ["human", "hi"],
    ]);
    expect(placed(history, "before_system", false)).toEqual([
      ["system", [text(`${memory}\n\n`), text("one"), text("\n\ntwo")]],
      ["human", "hi"],
    ]);
  });

  it("leaves system messages alone that come later", () => {
    const late = new SystemMessage("late");
    expect(placed([new SystemMessage("one"), user, late], "after_system", false)).toEqual([
      ["system", [text("one"), text(`\n\n${memory}`)]],
      ["human", "hi"],
      ["system", "late"],
    ]);
  });

  it("keeps blocks with a cache mark and other kinds of blocks as they are", () => {
    expect(placed([new SystemMessage({ content: [cached, image] }), user], "after_system", false)[0]).toEqual([
      "system",
      [cached, image, text(`\n\n${memory}`)],
    ]);
    expect(placed([new SystemMessage({ content: [cached] }), user], "before_system", false)[0]).toEqual([
      "system",
      [text(`${memory}\n\n`), cached],
    ]);
  });

  it("puts the space between two messages where no cache mark is", () => {
    const seams: [BaseMessage[], object[]][] = [
      [
        [new SystemMessage("one"), new SystemMessage({ content: [cached] })],
        [text("one\n\n"), cached],
      ],
      [
        [new SystemMessage({ content: [cached] }), new SystemMessage("two")],
        [cached, text("\n\ntwo")],
      ],
      [
        [new SystemMessage({ content: [cached] }), new SystemMessage({ content: [cached] })],
        [cached, { ...cached, text: "\n\ncached" }],
      ],
      [
        [new SystemMessage("one"), new SystemMessage({ content: [image] })],
        [text("one\n\n"), image],
      ],
      [
        [new SystemMessage({ content: [image] }), new SystemMessage("two")],
        [image, text("\n\ntwo")],
      ],
      [
        [new SystemMessage({ content: [image] }), new SystemMessage({ content: [image] })],
        [image, image],
      ],
    ];
    for (const [history, blocks] of seams) {
      expect(placed(history, "after_system", false)).toEqual([["system", [...blocks, text(`\n\n${memory}`)]]]);
    }
  });

  it.each(["after_system", "before_system"] as const)("never makes or keeps an empty text block (%s)", (placement) => {
    const empty = [
      new SystemMessage(""),
      new SystemMessage({ content: [] }),
      new SystemMessage({ content: [text("") as typeof cached] }),
    ];
    expect(placed([...empty, user], placement, false)).toEqual([
      ["system", memory],
      ["human", "hi"],
    ]);
    const [first] = placed([...empty, new SystemMessage("two"), ...empty], placement, false);
    expect(JSON.stringify(first)).not.toContain('"text":""');
    expect(JSON.stringify(first)).toContain('"text":"two"');
  });

  it("keeps id, name and further fields of the first system message", () => {
    const first = new SystemMessage({
      content: "one",
      id: "s1",
      name: "house",
      additional_kwargs: { __openai_role__: "developer" },
      response_metadata: { source: "prompt" },
    });
    const [merged] = placeMemory([first, new SystemMessage({ content: "two", id: "s2" })], memory, {
      placement: "after_system",
      separate: false,
    });
    expect(merged).toMatchObject({
      id: "s1",
      name: "house",
      additional_kwargs: { __openai_role__: "developer" },
      response_metadata: { source: "prompt" },
    });
  });
});

describe("a memory as a system message of its own", () => {
  const history = [new SystemMessage("one"), new SystemMessage("two"), user];

  it("leaves every other message the object it was", () => {
    for (const placement of ["before_system", "after_system", "last_message"] as const) {
      const others = placeMemory(history, memory, { placement, separate: true }).filter(
        ({ content }) => content !== memory,
      );
      expect(others.map((message, index) => message === history[index])).toEqual([true, true, true]);
    }
  });
});

describe("a memory as the user's message", () => {
  const placedAsUser = (messages: BaseMessage[], placement: PlaceOptions["placement"], separate: boolean): unknown[] =>
    placeMemory(messages, memory, { placement, separate, asUser: true }).map(({ type, content }) => [type, content]);

  it.each([true, false])("comes after the system prompt, which stays as it is, or last (separate: %s)", (separate) => {
    const history = [new SystemMessage("one"), new SystemMessage("two"), user, new AIMessage("hello")];
    const [one, two, hi, hello, shown] = [
      ["system", "one"],
      ["system", "two"],
      ["human", "hi"],
      ["ai", "hello"],
      ["human", memory],
    ];
    expect(placedAsUser(history, "after_system", separate)).toEqual([one, two, shown, hi, hello]);
    expect(placedAsUser(history, "before_system", separate)).toEqual([one, two, shown, hi, hello]);
    expect(placedAsUser(history, "last_message", separate)).toEqual([one, two, hi, hello, shown]);
    expect(placedAsUser([user], "before_system", separate)).toEqual([shown, hi]);
  });
});

describe("placing", () => {
  it("recognises system messages of the other build of LangChain", () => {
    const commonJS = createRequire(import.meta.url)("@langchain/core/messages") as {
      SystemMessage: typeof SystemMessage;
    };
    const foreign = new commonJS.SystemMessage("be kind");
    expect(Object.getPrototypeOf(foreign)).not.toBe(SystemMessage.prototype);
    expect(placed([foreign, user], "after_system", false)).toEqual([
      ["system", [text("be kind"), text(`\n\n${memory}`)]],
      ["human", "hi"],
    ]);
  });

  it("changes neither the array given nor its messages, and says the same when asked again", () => {
    for (const placement of ["before_system", "after_system", "last_message"] as const) {
      for (const separate of [true, false]) {
        const history = [new SystemMessage("one"), new SystemMessage({ content: [cached], id: "s2" }), user];
        const before = JSON.stringify(history);
        const copy = [...history];
        Object.freeze(history);
        const once = placeMemory(history, memory, { placement, separate });
        expect(JSON.stringify(history)).toBe(before);
        expect(history).toEqual(copy);
        expect(once).not.toBe(history);
        expect(JSON.stringify(placeMemory(history, memory, { placement, separate }))).toBe(JSON.stringify(once));
      }
    }
  });
});
