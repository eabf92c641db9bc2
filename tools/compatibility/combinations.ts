import { readFile } from "node:fs/promises";

/** What a project installs beside the package. */
export interface Combination {
  title: string;
  /** By exact version. */
  peers: Record<string, string>;
  /** The version of the compiler. */
  typescript: string;
  /** Without those that the package marks as optional. */
  isMinimal?: boolean;
}

interface Manifest {
  version: string;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
}

/**
 * The ends of what `peerDependencies` allows: the lowest versions, those that this repository is tested with, and the
 * other major versions of mongodb and zod with either. TypeScript 6 compiles the lowest versions of all, and TypeScript 7
 * the rest.
 */
export async function combinations(): Promise<[lowest: Combination, ...others: Combination[]]> {
  const { peerDependencies, peerDependenciesMeta, devDependencies } = await manifestOf(".");
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
  const { typescript: typescript6 = "", "typescript-7": typescript = "" } = devDependencies;
  return [
    { title: "the lowest versions, with mongodb 6 and zod 3", peers: lowest, typescript: typescript6 },
    {
      title: "the lowest versions, with mongodb 7 and zod 4",
      peers: { ...lowest, ...lowestOfNextMajor },
      typescript,
    },
    {
      title: "the newest versions, with mongodb 6 and zod 3",
      peers: { ...newest, ...newestOfFirstMajor },
      typescript,
    },
    { title: "the newest versions, with mongodb 7 and zod 4", peers: newest, typescript },
    {
      title: "the newest versions, without the optional peers",
      peers: Object.fromEntries(required.map((name) => [name, newest[name] ?? ""])),
      typescript,
      isMinimal: true,
    },
  ];
}

async function manifestOf(directory: string): Promise<Manifest> {
  return JSON.parse(await readFile(`${directory}/package.json`, "utf8")) as Manifest;
}
