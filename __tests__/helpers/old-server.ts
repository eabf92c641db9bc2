import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { BSON } from "mongodb";

/*
 * A server that answers like an earlier version of MongoDB, because not every platform has such a mongod. It answers
 * its version, and to anything else that it does not know the command.
 */

const legacyQuery = 2004;
const legacyReply = 1;

/** Starts a server of the given version and wire version. @returns its URI */
export async function oldServer(version: string, maxWireVersion: number): Promise<{ uri: string; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 16 && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        socket.write(replyTo(message, version, maxWireVersion));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { uri: `mongodb://127.0.0.1:${portOf(server)}/`, close };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function replyTo(message: Buffer, version: string, maxWireVersion: number): Buffer {
  const isLegacy = message.readInt32LE(12) === legacyQuery;
  const start = isLegacy ? message.indexOf(0, 20) + 1 + 8 : 21;
  const command = BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
  const answer = BSON.serialize(answerTo(Object.keys(command)[0] ?? "", version, maxWireVersion));
  const body = isLegacy ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isLegacy) body.writeInt32LE(1, 16);
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + body.length + answer.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(isLegacy ? legacyReply : message.readInt32LE(12), 12);
  return Buffer.concat([head, body, answer]);
}

function answerTo(command: string, version: string, maxWireVersion: number): object {
  if (/^(hello|ismaster)$/i.test(command)) {
    return {
      ismaster: true,
      isWritablePrimary: true,
      helloOk: true,
      minWireVersion: 0,
      maxWireVersion,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      ok: 1,
    };
  }
  if (command === "buildInfo") return { version, ok: 1 };
  if (command === "listCollections")
    return {
      cursor: {
        id: new BSON.Long(0),
        ns: "test.$cmd.listCollections",
        firstBatch: [{ name: "memories", type: "collection" }],
      },
      ok: 1,
    };
  return { ok: 0, code: 168, codeName: "InvalidPipelineOperator", errmsg: `${command}: not known` };
}
