import { describe, expect, it } from "@jest/globals";
import { inspect } from "node:util";
import { fileSystemError } from "../../../../src/backends/directory/fs-errors.js";
import { MemoryError } from "../../../../src/index.js";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { fileNotFound } from "../../../../src/core/values/errors.js";

const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: whatever, open '/home/ann/notes/secret'`), { code });

describe("what the file system refuses", () => {
  it.each([
    ["EACCES", "EIO", "EIO: permission denied"],
    ["EPERM", "EIO", "EIO: permission denied"],
    ["EROFS", "EIO", "EIO: the file system is read-only"],
    ["EMFILE", "EIO", "EIO: too many open files"],
    ["ENOSPC", "ENOSPC", "ENOSPC: the disk is full; nothing was changed"],
    ["EDQUOT", "ENOSPC", "ENOSPC: the disk is full; nothing was changed"],
    ["ENAMETOOLONG", "EINVAL", "invalid path: too long for the file system"],
    ["ELOOP", "EINVAL", "invalid path: it leads through a link, which a memory does not follow"],
    ["EXDEV", "EIO", "EIO: a folder of the memory is on another file system"],
    ["EBUSY", "EIO", "EIO: the file system failed (EBUSY)"],
    ["EIO", "EIO", "EIO: the file system failed (EIO)"],
  ])("by %s is %s, without the host's path, which the cause has", (code, expected, message) => {
    const cause = failure(code);
    const error = fileSystemError(cause);
    expect([error.code, error.message, error.cause]).toEqual([expected, message, cause]);
  });

  it("is a MemoryError even without a code, and a MemoryError stays what it is", () => {
    expect(fileSystemError(new Error("odd")).code).toBe("EIO");
    expect(fileSystemError(null).code).toBe("EIO");
    const own = fileNotFound();
    expect(fileSystemError(own)).toBe(own);
  });
});

describe("openDirectoryMemory", () => {
  it.each([
    [undefined, "expected"],
    [{}, "dir"],
    [{ dir: "" }, "dir"],
    [{ dir: 5 }, "dir"],
    [{ dir: "/" }, "dir: must name a folder, not the root of a file system"],
    [{ dir: "/.." }, "dir: must name a folder"],
    [{ dir: "notes", path: "posix" }, "path"],
    [{ dir: "notes", paths: "windows" }, "paths"],
    [{ dir: "notes", fsync: false }, "fsync"],
    [{ dir: "notes", maxFileBytes: 0 }, "maxFileBytes"],
  ])("refuses the options %j as a TypeError that says what is wrong", (options, field) => {
    const open = (): unknown => openDirectoryMemory(options as never);
    expect(open).toThrow(TypeError);
    expect(open).toThrow(field);
  });

  it("names its memory by the folder, and no path of the host shows", () => {
    const memory = openDirectoryMemory({ dir: "/home/ann/secret/../notes/" });
    expect(memory.address).toEqual({ nodeId: "notes", scope: "global" });
    expect(inspect(memory, { depth: 9 })).not.toContain("ann");
    expect(MemoryError.isInstance(memory)).toBe(false);
  });
});
