import { readFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";

export interface Machine {
  mongod: string;
  rounds: number;
}

export async function machineLine({ mongod, rounds }: Machine): Promise<string> {
  const [cpu] = cpus();
  const [driver, self] = await Promise.all([
    versionOfPackage("mongodb"),
    versionIn(new URL("../../package.json", import.meta.url)),
  ]);
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores of ${cpu?.model.trim()}, ${memory} GB; node ${process.versions.node}, ` +
    `mongod ${mongod} on the same machine, driver ${driver}, this package ${self}; ${rounds} rounds.`
  );
}

export function versionOfPackage(name: string): Promise<string> {
  return versionIn(new URL(`../../node_modules/${name}/package.json`, import.meta.url));
}

async function versionIn(packageFile: URL): Promise<string> {
  return (JSON.parse(await readFile(packageFile, "utf8")) as { version: string }).version;
}
