import { existsSync } from "node:fs";
import { callMemory, connectToMemory } from "./agent.js";

if (existsSync(".env")) process.loadEnvFile();
const client = await connectToMemory();
try {
  console.log(`Connected to ${client.getServerVersion()?.name}.\n\nIts tools:`);
  for (const { name, title, annotations, inputSchema } of (await client.listTools()).tools) {
    const kind = annotations?.readOnlyHint ? "only reads" : annotations?.destructiveHint ? "can take away" : "adds";
    console.log(`  ${name} (${title}, ${kind}): ${Object.keys(inputSchema.properties ?? {}).join(", ")}`);
  }

  // Deletes notes of an earlier run in MongoDB.
  await callMemory(client, { command: "delete", path: "/" });
  console.log("");
  await print({ command: "append", path: "/notes/tea time", content: "Ada takes milk." });
  await print({ command: "read", path: "/notes/coffee" });

  console.log("\nIts resources:");
  const { resources } = await client.listResources();
  for (const { uri, name, mimeType, size } of resources) console.log(`  ${uri}: ${name}, ${mimeType}, ${size} bytes`);

  const [uri = ""] = resources.map((resource) => resource.uri);
  console.log("");
  await print({ command: "update", path: "/notes/tea time", oldContent: "milk", content: "lemon" });
  const {
    contents: [file],
  } = await client.readResource({ uri });
  console.log(`${uri}: ${file && "text" in file ? file.text : ""}`);
} finally {
  await client.close();
}

async function print(args: Record<string, string>): Promise<void> {
  console.log(`memory(${JSON.stringify(args)})\n  ${await callMemory(client, args)}`);
}
