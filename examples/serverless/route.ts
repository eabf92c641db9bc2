import { ChatOpenAI } from "@langchain/openai";
import { createCook, createMemoryNode, forgetUser } from "./agent.js";
import { connection } from "./connection.js";
import { scriptedModel } from "./scripted-model.js";

// This file is `app/api/chat/route.ts` of a Next.js application, or the handlers of any other server with web requests.

/** Answers `{ message }`. */
export async function POST(request: Request): Promise<Response> {
  const user = userOf(request);
  if (user === null) return Response.json({ error: "sign in first" }, { status: 401 });
  const { message } = (await request.json()) as { message: string };

  const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini" } = process.env;
  const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
  const cook = createCook(model, createMemoryNode(connection().store));
  const config = { configurable: { user_id: user }, signal: request.signal };
  const { messages } = await cook.invoke({ messages: [{ role: "user", content: message }] }, config);
  return Response.json({ answer: messages.at(-1)?.text });
}

/** Erases the user's memory. */
export async function DELETE(request: Request): Promise<Response> {
  const user = userOf(request);
  if (user === null) return Response.json({ error: "sign in first" }, { status: 401 });
  await forgetUser(connection().store, user);
  return Response.json({ answer: "forgotten" });
}

/** The user must come from your sign-in. A name in the body would let each user read everyone's memory. */
function userOf(request: Request): string | null {
  return request.headers.get("x-user");
}
