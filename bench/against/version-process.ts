import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { NamedCall } from "./calls.js";
import type { VersionName } from "./versions.js";

export interface WorkerData {
  name: VersionName;
  folder: string;
  uri: string;
  dbName: string;
  parts: string[];
}

export interface Question {
  call: string;
  /** The iterations, the last one excluded. */
  from: number;
  to: number;
  /** Whether to bring back before what the calls found at first. */
  reset: boolean;
}

export interface Answer {
  /** Of each iteration, in milliseconds. */
  times: number[];
  /** Of the last iteration, without times. */
  answer: string;
}

/**
 * A version in a process of its own, as its users have it. In one process the engine would prepare the driver for the
 * version that calls it most, and the others would take up to a tenth longer.
 */
export class VersionProcess {
  readonly calls: readonly NamedCall[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, calls: readonly NamedCall[]) {
    this.#child = child;
    this.calls = calls;
  }

  static async start(data: WorkerData): Promise<VersionProcess> {
    const worker = fileURLToPath(new URL("version-worker.ts", import.meta.url));
    const child = fork(worker, [JSON.stringify(data)], { execArgv: ["--import", "tsx"] });
    const { calls } = await messageOf<{ calls: NamedCall[] }>(child);
    return new VersionProcess(child, calls);
  }

  async ask(question: Question): Promise<Answer> {
    const answer = messageOf<Answer>(this.#child);
    this.#child.send(question);
    return answer;
  }

  stop(): void {
    this.#child.kill();
  }
}

async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  const end = once(child, "exit", { signal: ended.signal }).then(([code]) => {
    throw new Error(`the process of a version ended with ${code}`);
  });
  try {
    const [message] = (await Promise.race([once(child, "message"), end])) as [Message];
    return message;
  } finally {
    end.catch(() => undefined);
    ended.abort();
  }
}
