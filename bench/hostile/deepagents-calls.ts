import type { DeepAgentsBackend } from "../../src/deepagents/index.js";
import type { Memory } from "../../src/core/memory.js";
import type { Ground, HostileCall } from "./hostile-call.js";
import { nearlyEverywhere, newlines, sameLetter, writeFile, writeNames } from "./texts.js";

function method(
  name: string,
  input: string,
  find: (ground: Ground, bytes: number) => Promise<Memory>,
  call: (backend: DeepAgentsBackend, bytes: number) => Promise<unknown>,
): HostileCall {
  const prepare: HostileCall["prepare"] = async (ground, bytes) => {
    const backend = new ground.deepagents.DeepAgentsBackend(await find(ground, bytes));
    return () => call(backend, bytes);
  };
  return { name: `deepagents: ${name}`, input, prepare };
}

const fileOf =
  (textOf: (bytes: number) => string) =>
  ({ memory }: Ground, bytes: number) =>
    writeFile(memory(), textOf(bytes));
const nothing = ({ memory }: Ground): Promise<Memory> => Promise.resolve(memory());

const emptyLines = "a file of newlines";
const oneLetter = "a file of one letter";
const manyNames = "long names that begin alike";

export const deepagentsCalls: HostileCall[] = [
  method("ls", manyNames, writeNames, (backend) => backend.ls("/names")),
  method("read", `${emptyLines}, the last of them`, fileOf(newlines), (backend, bytes) =>
    backend.read("/file", bytes - 1),
  ),
  method("readRaw", emptyLines, fileOf(newlines), (backend) => backend.readRaw("/file")),
  method("write", "a text of newlines", nothing, (backend, bytes) => backend.write("/file", newlines(bytes))),
  method("edit", `${oneLetter}, a text nearly found everywhere`, fileOf(sameLetter), (backend, bytes) =>
    backend.edit("/file", nearlyEverywhere(bytes), "x"),
  ),
  method("edit", `${oneLetter}, each replaced`, fileOf(sameLetter), (backend) => backend.edit("/file", "a", "b", true)),
  method("grep", `${oneLetter}, a text nearly found everywhere`, fileOf(sameLetter), (backend, bytes) =>
    backend.grep(nearlyEverywhere(bytes)),
  ),
  method("grep", `${emptyLines}, all of which match`, fileOf(newlines), (backend) => backend.grep("")),
  method("glob", `${manyNames}, 200 stars`, writeNames, (backend) => backend.glob(`names/${"*a".repeat(200)}b`)),
  method("glob", `${manyNames}, groups`, writeNames, (backend) => backend.glob("names/+(a)+(a)+(a)+(a)+(a)z")),
  method("delete", manyNames, writeNames, (backend) => backend.delete("/names")),
  method("downloadFiles", emptyLines, fileOf(newlines), (backend) => backend.downloadFiles(["/file"])),
  method("uploadFiles", "a text of newlines", nothing, (backend, bytes) =>
    backend.uploadFiles([["/file", Buffer.from(newlines(bytes))]]),
  ),
];
