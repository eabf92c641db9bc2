import { type Conversation, type Question, readBeam, readLocomo, type Said } from "../measuring/conversations.js";

/** A memory with questions about it. */
export interface BenchMemory {
  files: SourceFile[];
  questions: Question[];
}

export interface DataSet {
  name: string;
  /** What is counted: the passages with evidence, or the files. */
  per: readonly ("passage" | "file")[];
  memories: BenchMemory[];
}

interface SourceFile {
  path: string;
  /** `source` is the id of the message that a line is from. */
  lines: { text: string; source: string | null }[];
}

export async function readDataSets(folder: string): Promise<DataSet[]> {
  const dialogues = await readLocomo(folder);
  const chats = await readBeam(folder);
  const open = (conversations: Conversation[], write: (conversation: Conversation) => SourceFile[]): BenchMemory[] =>
    conversations.map((each) => ({ files: write(each), questions: each.questions }));
  return [
    { name: "LoCoMo", per: ["passage", "file"], memories: open(dialogues, partFiles) },
    { name: "BEAM, messages", per: ["file"], memories: open(chats, messageFiles) },
    { name: "BEAM, exchanges", per: ["passage", "file"], memories: open(chats, partFiles) },
  ];
}

/** One file a session or an exchange, one line a message, after a line with the date. */
function partFiles({ parts }: Conversation): SourceFile[] {
  const toLine = ({ id, role, name, text }: Said) => ({
    text: `${name ?? role}: ${text}`.replaceAll(/\s*\n\s*/g, " "),
    source: id,
  });
  return parts.map(({ name, date, messages }) => ({
    path: `/${name}`,
    lines: [{ text: date, source: null }, ...messages.map(toLine)],
  }));
}

/** One file a message, with its own lines. */
function messageFiles({ parts }: Conversation): SourceFile[] {
  return parts
    .flatMap(({ messages }) => messages)
    .map(({ id, text }) => ({
      path: `/messages/message_${id}`,
      lines: text.split("\n").map((line) => ({ text: line, source: id })),
    }));
}
