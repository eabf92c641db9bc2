import { readFile } from "node:fs/promises";

export interface ListedTool {
  name: string;
  description?: string | undefined;
}

/** Returns the manifest of the bundle, in version 0.3 of its format. The program in the bundle lists the tools. */
export async function createManifest(tools: readonly ListedTool[]): Promise<object> {
  const { name, version, license, keywords, engines, repository } = JSON.parse(
    await readFile("package.json", "utf8"),
  ) as {
    name: string;
    version: string;
    license: string;
    keywords: string[];
    engines: { node: string };
    repository: { url: string };
  };
  const address = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  return {
    manifest_version: "0.3",
    name,
    display_name: "Memory in a folder",
    version,
    description: "A long-term memory for your assistant: text files in a folder that you choose.",
    long_description:
      "The assistant keeps what it should know in small text files, and finds it again in later conversations. You " +
      "can read, edit and delete the files. It needs no database and no account.\n\n**Privacy**: it reads and " +
      "writes only the folder that you choose, and sends nothing to anybody.",
    author: { name: "langgraph-mongo-memory contributors", url: address },
    repository: { type: "git", url: `${address}.git` },
    documentation: `${address}/blob/main/tools/desktop/README.md`,
    support: `${address}/issues`,
    privacy_policies: [`${address}/blob/main/tools/desktop/README.md#privacy`],
    icon: "icon.png",
    keywords,
    license,
    compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: engines.node } },
    server: {
      type: "node",
      entry_point: "server/index.js",
      mcp_config: { command: "node", args: ["${__dirname}/server/index.js", "${user_config.folder}"], env: {} },
    },
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description?.split("\n")[0] ?? "" })),
    user_config: {
      folder: {
        type: "directory",
        title: "Folder of the memory",
        description: "The text files of the memory are kept here. A new folder is made when it is first written.",
        required: true,
        default: "${DOCUMENTS}/agent-memory",
      },
    },
  };
}
