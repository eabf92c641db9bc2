import { Agent, MemoryNode } from "langgraph-mongo-memory";
import { chooseModel } from "../shared/choose-model.js";
import { connection } from "./connection.js";
import { script } from "./script.js";

// `app/api/chat/route.ts` of a Next.js application, or the handlers of any other server that speaks web requests.

/** Answers `{ message }`. */
export async function POST(request: Request): Promise<Response> {
  const user = userOf(request);
  if (user === null) return Response.json({ error: "sign in first" }, { status: 401 });
  const { message } = (await request.json()) as { message: string };

  const { model } = await chooseModel(script);
  const memoryNode = await openNode();
  const agent = new Agent({
    model,
    tools: memoryNode.memoryTools,
    systemPrompt: "You are a cook. Note in your memory what your guest tells you.",
  });
  agent.attachMemoryConnector(memoryNode.createConnector({ content: "full" }));

  const config = { configurable: { thread_id: user }, signal: request.signal };
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: message }] }, config);
  return Response.json({ answer: messages.at(-1)?.text });
}

/** Forgets the user. */
export async function DELETE(request: Request): Promise<Response> {
  const user = userOf(request);
  if (user === null) return Response.json({ error: "sign in first" }, { status: 401 });
  await (await openNode()).memory(user).delete("/");
  return Response.json({ answer: "forgotten" });
}

/** From your sign-in. A name in the body would let each user read everyone's memory. */
function userOf(request: Request): string | null {
  return request.headers.get("x-user");
}

/** Made anew for each request: it asks nothing of the database. What costs time is the connection. */
async function openNode(): Promise<MemoryNode> {
  const { store } = await connection();
  return new MemoryNode({ store, nodeId: "example-serverless", scope: "perThread" });
}
