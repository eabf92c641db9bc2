import type { Instructions, ModelMessage } from "ai";

/** Prints what the model sees at a step. Pass it as `onStepStart`. */
export function printStep({
  instructions = [],
  messages,
}: {
  instructions?: Instructions | undefined;
  messages: ModelMessage[];
}) {
  console.log("  The model sees:");
  const prompts = Array.isArray(instructions) ? instructions : [instructions];
  for (const prompt of prompts) print("system", typeof prompt === "string" ? prompt : prompt.content);
  for (const { role, content } of messages) print(role, typeof content === "string" ? content : partsOf(content));
}

function print(role: string, text: string): void {
  text
    .split("\n")
    .forEach((line, index) => console.log(`    ${(index === 0 ? role : "").padEnd(9)} | ${line}`.trimEnd()));
}

function partsOf(content: Exclude<ModelMessage["content"], string>): string {
  return content
    .map((part) => {
      if (part.type === "tool-call") return `${part.toolName}(${JSON.stringify(part.input)})`;
      if (part.type === "tool-result" && part.output.type === "text") return part.output.value;
      return part.type === "text" ? part.text : part.type;
    })
    .join("\n");
}
