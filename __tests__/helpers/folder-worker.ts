import { readSync, writeSync } from "node:fs";
import { openPatiently } from "./left-lock.js";

/**
 * A process that changes a memory in a folder. Its arguments: folder, act, name and count.
 * `append`: `count` appends at once. `mark`: also as many edits, from `[name n]` to `(name n)`.
 * `endless`: two writers append one line after the other, and print each acknowledged line, until the process is
 * killed. `busy`: changes the memory once, and then never yields. `waits`: the same, but waits inside another change.
 * `sleep`: edits, and stops the whole process inside the change, until its standard input receives a byte.
 */
const [dir = "", act = "", name = "", count = "0"] = process.argv.slice(2);
const memory = openPatiently({ dir, timeoutMs: Infinity });

const indices = Array.from({ length: Number(count) }, (_, index) => index);

async function append(): Promise<void> {
  await Promise.all(indices.map((index) => memory.append("/log", `${name} ${index}`)));
}

async function mark(): Promise<void> {
  const changeOf = (index: number) => (text: string) => text.replace(`[${name} ${index}]`, `(${name} ${index})`);
  await Promise.all([append(), ...indices.map((index) => memory.edit("/marks", changeOf(index)))]);
}

async function endless(writer: number): Promise<void> {
  for (let index = 0; ; index += 1) {
    const line = `${name} writer ${writer} line ${index}`;
    await memory.append(index % 2 === 0 ? "/log" : "/deep/er/log", line);
    writeSync(1, `${line}\n`);
  }
}

async function sleep(): Promise<void> {
  let runs = 0;
  await memory.edit("/log", (text) => {
    runs += 1;
    if (runs === 1) {
      writeSync(1, "inside\n");
      readSync(0, Buffer.alloc(1));
    }
    return `${text}\n${name}`;
  });
  writeSync(1, `${runs}\n`);
}

async function busy(): Promise<never> {
  await memory.append("/log", name);
  writeSync(1, "begun\n");
  for (;;);
}

async function waits(): Promise<void> {
  await memory.append("/log", name);
  setInterval(() => undefined, 1000);
  await memory.edit("/log", (text) => {
    writeSync(1, "begun\n");
    return text;
  });
}

const acts: Record<string, () => Promise<unknown>> = {
  append,
  mark,
  sleep,
  busy,
  waits,
  endless: () => Promise.all([endless(1), endless(2)]),
};
await acts[act]?.();
