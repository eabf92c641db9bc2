import { stderr, argv } from "node:process";
import { openDirectoryMemory } from "../../src/backends/directory/open-directory-memory.js";
import { serveStdio } from "../../src/mcp/serve-stdio.js";

/* The program of the desktop bundle: it serves the memory in a folder, which its only argument names, over stdio. */

const [dir = ""] = argv.slice(2);
if (dir === "") {
  stderr.write("name the folder of the memory\n");
  process.exitCode = 2;
} else {
  await serveStdio({
    memory: openDirectoryMemory({ dir }),
    dialects: [{ name: "unified", commands: ["read", "list", "append", "update", "delete", "search"] }],
  });
}
