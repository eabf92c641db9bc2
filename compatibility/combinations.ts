import { readFile } from "node:fs/promises";

/** The peers that a project installs beside the package, by exact version. */
export interface Combination {
  title: string;
  peers: Record<string, string>;
  /** Without those that the package marks as optional. */
  isMinimal?: boolean;
}

interface Manifest {
  version: string;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
}

/**
 * The ends of what `peerDependencies` allows: the lowest versions, those that this repository is tested with, and the
 * other major versions of mongodb and zod with either.
 */
export async function combinations(): Promise<Combination[]> {
  const { peerDependencies, peerDependenciesMeta } = await manifestOf(".");
  const names = Object.keys(peerDependencies);
  const ranges = (name: string): string[] =>
    (peerDependencies[name] ?? "").split("||").map((range) => range.trim().slice(1));
  const pick = (choose: (name: string) => string): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, choose(name)]));
  // deepagents asks for it as a peer, of which npm would take one that is too new for the lowest @langchain/core.
  const besideLowest = { "@langchain/langgraph-sdk": "1.9.23" };
  const lowest: Record<string, string> = { ...pick((name) => ranges(name)[0] ?? ""), ...besideLowest };
  const installed = await Promise.all(
    names.map(async (name) => [name, (await manifestOf(`node_modules/${name}`)).version]),
  );
  const newest = Object.fromEntries(installed) as Record<string, string>;
  const required = names.filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const lowestOfNextMajor = { mongodb: ranges("mongodb")[1] ?? "", zod: ranges("zod")[1] ?? "" };
  const newestOfFirstMajor = { mongodb: `^${lowest["mongodb"]}`, zod: `^${lowest["zod"]}` };
  return [
    { title: "the lowest versions, with mongodb 6 and zod 3", peers: lowest },
    { title: "the lowest versions, with mongodb 7 and zod 4", peers: { ...lowest, ...lowestOfNextMajor } },
    { title: "the newest versions, with mongodb 6 and zod 3", peers: { ...newest, ...newestOfFirstMajor } },
    { title: "the newest versions, with mongodb 7 and zod 4", peers: newest },
    {
      title: "the newest versions, without the optional peers",
      peers: Object.fromEntries(required.map((name) => [name, newest[name] ?? ""])),
      isMinimal: true,
    },
  ];
}

async function manifestOf(directory: string): Promise<Manifest> {
  return JSON.parse(await readFile(`${directory}/package.json`, "utf8")) as Manifest;
}
