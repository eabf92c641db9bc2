import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build, type BuildOptions } from "esbuild";

/** Packages that become part of the page's client. Their licences are in THIRD-PARTY-LICENSES.md. */
export const clientPackages = ["marked", "preact"];

/** In `dist`: one file for every build that needs the client, CommonJS, which all of them can load. */
export const clientFile = "page-client.cjs";

async function bundled(entry: string, more: BuildOptions): Promise<string> {
  // The notices of its packages stand in THIRD-PARTY-LICENSES.md.
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    target: "es2022",
    legalComments: "none",
    ...more,
    write: false,
    entryPoints: [entry],
  });
  return outputFiles?.[0]?.text ?? "";
}

const pack = (text: string): string => brotliCompressSync(text).toString("base64");

/** Bundles the client. */
export async function packClient(): Promise<{ script: string; markdown: string; style: string }> {
  const tsconfig = "src/page/client/tsconfig.json";
  const script = await bundled("src/page/client/main.tsx", { format: "esm", tsconfig });
  const markdown = await bundled("src/page/client/files/markdown-worker.ts", { format: "iife", tsconfig });
  const style = await bundled("src/page/client/style.css", {});
  return { script: pack(script), markdown: pack(markdown), style: pack(style) };
}

/** Puts the bundled client in the place of the module that has nothing of it in the sources. */
export const pageClient = {
  name: "page-client",
  resolveId(id: string): { id: string; external: true } | undefined {
    return id === "./client-files.js" ? { id: `./${clientFile}`, external: true } : undefined;
  },
  async writeBundle({ dir = "dist" }: { dir?: string }): Promise<void> {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, clientFile), `exports.clientFiles = ${JSON.stringify(await packClient())};\n`);
  },
};
