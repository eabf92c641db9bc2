import type { MongoClient } from "mongodb";

/** The methods of a collection that send one command and return a promise. */
const methods = [
  "updateOne",
  "findOneAndUpdate",
  "findOneAndDelete",
  "bulkWrite",
  "deleteOne",
  "deleteMany",
  "findOne",
  "insertOne",
  "insertMany",
] as const;

/** A command that is about to be sent. */
export interface NextCommand {
  /** `find` is a cursor that is read by `toArray`. */
  method: (typeof methods)[number] | "find";
  /** Whether a transaction has locked documents, so that others may have to wait for it. */
  hasLocks: boolean;
}

/** A client whose way to the server is slow: its collections run a task before each command. */
export class SlowClient {
  readonly client: MongoClient;
  #task: (next: NextCommand) => Promise<void> = () => Promise.resolve();

  constructor(client: MongoClient) {
    this.client = beforeCommands(client, (next) => this.#task(next));
  }

  /** Makes a call, with a task before each of its commands. */
  async run<T>(task: (next: NextCommand) => Promise<void>, call: () => Promise<T>): Promise<T> {
    this.#task = task;
    try {
      return await call();
    } finally {
      this.#task = () => Promise.resolve();
    }
  }

  /**
   * Makes a call, and something else just before its command of this number. If a transaction of the call has locks, both
   * go on at the same time, because the other may wait for the locks.
   * @returns whether there was such a command
   */
  async runBeside(number: number, other: () => Promise<unknown>, call: () => Promise<unknown>): Promise<boolean> {
    let sent = 0;
    const started: Promise<unknown>[] = [];
    const task = async ({ hasLocks: isLocking }: NextCommand): Promise<void> => {
      sent += 1;
      if (sent !== number) return;
      started.push(other());
      if (!isLocking) await started[0];
    };
    await this.run(task, call);
    await Promise.all(started);
    return sent >= number;
  }
}

function beforeCommands(client: MongoClient, task: (next: NextCommand) => Promise<void>): MongoClient {
  return replaceMembers(client, {
    db: (name: string) => {
      const db = client.db(name);
      return replaceMembers(db, {
        collection: (...place: Parameters<typeof db.collection>) => {
          const collection = db.collection(...place);
          const find = (...args: Parameters<typeof collection.find>): unknown => {
            const cursor = collection.find(...args);
            const toArray = async (): Promise<unknown> => {
              await task({ method: "find", hasLocks: hasLocks(args) });
              return cursor.toArray();
            };
            return replaceMembers(cursor, { toArray });
          };
          const replaced = methods.map((method) => [
            method,
            async (...args: unknown[]): Promise<unknown> => {
              await task({ method, hasLocks: hasLocks(args) });
              return Reflect.apply(collection[method] as () => unknown, collection, args);
            },
          ]);
          return replaceMembers(collection, { ...Object.fromEntries(replaced), find });
        },
      });
    },
  });
}

/** The members of a session that tell whether its transaction has begun. The types of the driver lack the second. */
interface UsedSession {
  inTransaction: () => boolean;
  transaction: { isStarting: boolean };
}

function hasLocks(args: readonly unknown[]): boolean {
  const session = (args as readonly { session?: UsedSession }[]).map((each) => each?.session).find((each) => each);
  return session !== undefined && session.inTransaction() && !session.transaction.isStarting;
}

function replaceMembers<Target extends object>(target: Target, replaced: Record<string, unknown>): Target {
  return new Proxy(target, {
    get: (own, name) => {
      const value: unknown =
        typeof name === "string" && name in replaced ? replaced[name] : Reflect.get(own, name, own);
      return typeof value === "function" ? value.bind(own) : value;
    },
  });
}
