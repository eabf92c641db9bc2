import { MemoryNode } from "../../src/graph/memory-node.js";
import type { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";

export const storyUser = "ada@example.com";

const lisbon = `# Lisbon, 12 to 16 May

Ada goes with her sister. They like to walk, and **never fly in the evening**.

- [x] Train from Porto, 9:04, two seats by the window
- [x] Hotel near *Graça*, quiet side
- [ ] Table for two on Thursday; no peanuts

| day | plan |
|---|---|
| Tuesday | Alfama on foot, dinner at home |
| Wednesday | Sintra, if it does not rain |
| Thursday | Tile museum, then the table |
`;

/** What the pictures show: the memories of an assistant, as it would have made them. @returns its node */
export async function tellStory(store: MongoMemoryStore): Promise<MemoryNode> {
  const ada = store.memory({ nodeId: "assistant", scope: "perUser", userId: storyUser });
  const by = (agent: string, runId: string): typeof ada => ada.with({ actor: { agent, runId, userId: storyUser } });
  await by("profiler", "run-1").write("/profile/food.md", "Ada is vegetarian.\nShe likes mushrooms.\n");
  await by("profiler", "run-2").write(
    "/profile/food.md",
    "Ada is vegetarian.\nShe is allergic to peanuts.\nShe likes mushrooms.\n",
  );
  await by("profiler", "run-2").write(
    "/profile/work.md",
    "Ada builds bridges. She starts early, so call after 16:00.\n",
  );
  await by("travel", "run-3").write("/trips/lisbon.md", lisbon);
  await by("travel", "run-3").write("/trips/oslo.md", "Only an idea: by night train, in winter.\n");
  await by("travel", "run-4").append("/log/2026-05.md", "- Booked the hotel in Lisbon.\n");
  await store.memory({ nodeId: "team-notes" }).write("/hotels.md", "Members get a tenth off at Graça.\n");
  await store.memory({ nodeId: "house-rules" }).write("/tone.md", "Answer in one sentence. Never promise a refund.\n");
  return new MemoryNode({
    store,
    nodeId: "assistant",
    scope: "perUser",
    mounts: {
      "/rules": { nodeId: "house-rules", access: "read", description: "House rules" },
      "/team": { nodeId: "team-notes", description: "What the team knows" },
    },
  });
}
