import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { build } from "esbuild";
import { testDatabase } from "../helpers/test-database.js";
import { testFolder } from "../helpers/test-folder.js";

const { uri, name } = testDatabase();
const root = testFolder();

it.each([true, false])(
  "connects where esbuild has bundled the driver as an ES module, with splitting: %s",
  async (splitting) => {
    const folder = join(root, `${splitting}`);
    await mkdir(folder);
    const program = `
    import { MongoMemoryStore } from "${resolve("dist/index.js")}";
    const store = await MongoMemoryStore.fromConnString(${JSON.stringify(uri)}, { dbName: "${name}" });
    await store.put(["bundled"], "a", { text: "b" });
    await store.stop();
    console.log("stored");`;
    await writeFile(join(folder, "program.js"), program);
    await build({
      entryPoints: [join(folder, "program.js")],
      outdir: join(folder, "out"),
      bundle: true,
      splitting,
      format: "esm",
      platform: "node",
      // The driver is CommonJS, and requires modules of Node.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      nodePaths: [resolve("node_modules")],
      external: [
        "@aws-sdk/*",
        "@mongodb-js/zstd",
        "aws4",
        "gcp-metadata",
        "kerberos",
        "mongodb-client-encryption",
        "snappy",
        "socks",
      ],
      outExtension: { ".js": ".mjs" },
      logLevel: "silent",
    });
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "out/program.mjs")]);
    expect(stdout).toBe("stored\n");
  },
);
