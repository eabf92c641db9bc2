import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc, { type Arbitrary } from "fast-check";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { openMemory } from "../../../src/open-memory.js";
import { fragment, path, text } from "../../../__tests__/helpers/inputs/texts.js";
import { json } from "../../../__tests__/helpers/inputs/values.js";
import { assertClean } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";
import { plantNeighbours } from "./neighbours.js";

type Method =
  | "ls"
  | "read"
  | "readRaw"
  | "write"
  | "edit"
  | "grep"
  | "glob"
  | "delete"
  | "downloadFiles"
  | "uploadFiles";

interface BackendCall {
  method: Method;
  args: unknown[];
}

const globPart = fc.oneof(
  fc.constantFrom(
    "*",
    "**",
    "**/",
    "?",
    "/",
    ".",
    "a",
    "b",
    "aa",
    "x",
    "notes",
    "[",
    "]",
    "[a-z]",
    "[!a]",
    "[^]",
    "[]a]",
    "[[:alpha:]]",
    "{a,b}",
    "{",
    "}",
    ",",
    "..",
    "{a..c}",
    "(",
    ")",
    "|",
    "!",
    "!(",
    "+(",
    "*(",
    "@(",
    "?(",
    "\\",
    "^",
    "$",
    "-",
    "é",
    "🧠",
  ),
  fragment,
);
const glob: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(globPart, { maxLength: 15 }).map((parts) => parts.join("")) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(globPart, { minLength: 1, maxLength: 4 }), fc.integer({ min: 2, max: 300 }), globPart)
      .map(([parts, times, last]) => parts.join("").repeat(times).slice(0, 1020) + last),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom("!(", "+(", "*(", "@(", "?(", "(", "{", "{a,", "(a|"),
        globPart,
        fc.constantFrom(")", "}", "|a)", ",b}"),
        fc.integer({ min: 1, max: 150 }),
      )
      .map(([open, part, close, times]) => open.repeat(times) + part + close.repeat(times)),
  },
  { weight: 1, arbitrary: text },
);

const call = <Args extends unknown[]>(
  method: Method,
  ...args: { [Index in keyof Args]: Arbitrary<Args[Index]> }
): Arbitrary<BackendCall> => fc.record({ method: fc.constant(method), args: fc.tuple(...args) });
const number = fc.oneof(fc.integer({ min: -2, max: 2000 }), fc.double());
const maybe = (each: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.oneof({ weight: 2, arbitrary: each }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) });

const calls = fc.oneof(
  { weight: 10, arbitrary: call("glob", glob, path) },
  { weight: 6, arbitrary: call("grep", text, maybe(path), maybe(glob), maybe(number)) },
  { weight: 3, arbitrary: call("write", path, text) },
  { weight: 3, arbitrary: call("edit", path, text, text, fc.boolean()) },
  { weight: 1, arbitrary: call("ls", path) },
  { weight: 1, arbitrary: call("read", path, number, number) },
  { weight: 1, arbitrary: call("readRaw", path) },
  { weight: 1, arbitrary: call("delete", path) },
  { weight: 1, arbitrary: call("downloadFiles", fc.array(path, { maxLength: 4 })) },
  {
    weight: 1,
    arbitrary: call(
      "uploadFiles",
      fc.array(
        fc.tuple(
          path,
          fc.oneof(
            fc.uint8Array(),
            text.map((each) => Buffer.from(each)),
          ),
        ),
        { maxLength: 4 },
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom<Method>("ls", "read", "write", "edit", "grep", "glob", "delete"),
      args: fc.array(json, { maxLength: 4 }),
    }),
  },
);

/** Such as matchers try one way after another on. */
const names = [
  "/a",
  "/b/a",
  "/notes/today",
  `/${"a".repeat(250)}`,
  `/d/${"a/".repeat(15)}a`,
  `/e/${`${"a".repeat(200)}/`.repeat(4)}${"a".repeat(200)}`,
  "/[a]",
  "/é",
  "/.hidden/x",
  "/a b/🧠",
];

export const globs: Target = {
  name: "globs",
  tries: "globs of deepagents and of rules, against any path",
  casesPerSandbox: 200,
  open: async (_environment, id) => {
    const store = new InMemoryStore();
    const open = (address: Parameters<typeof openMemory>[1]) => openMemory(store, address);
    const assertUnchanged = await plantNeighbours(open, { nodeId: id, threadId: "t" });
    const memory = open({ nodeId: id, scope: "perThread", threadId: "t" });
    for (const name of names) await memory.write(name, `a\nb\n${"a".repeat(3000)}b\n`);
    const backend = new DeepAgentsBackend(memory, { onError: () => undefined });
    return toSandbox<BackendCall>({
      inputs: calls,
      call: async ({ method, args }, measure) => {
        const called = backend[method].bind(backend) as (...given: unknown[]) => Promise<unknown>;
        const answer = await measure(() => called(...args));
        if (typeof answer !== "object" || answer === null)
          throw new Error(`an answer of another kind: ${typeof answer}`);
        assertClean(JSON.stringify(answer));
        const error = "error" in answer ? answer.error : undefined;
        if (error !== undefined && (typeof error !== "string" || error.includes("EIO")))
          throw new Error(`a memory that works has failed: ${JSON.stringify(error)}`);
        return `${method} ${error === undefined ? "ok" : "error"}`;
      },
      close: assertUnchanged,
    });
  },
};
