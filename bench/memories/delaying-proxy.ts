import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/*
 * A process of its own, so that it takes no time of the one that measures. It passes all bytes on to a port of this
 * machine and back, each so many ms late, tells its parent its own port, and ends with it.
 */
const [port = 0, delayMs = 0] = process.argv.slice(2).map(Number);

const proxy = createServer({ noDelay: true }, (client) => {
  const server = connect({ port, host: "127.0.0.1", noDelay: true });
  passOn(client, server);
  passOn(server, client);
});

function passOn(from: Socket, to: Socket): void {
  // Timers of one length go off in the order in which they were set.
  from.on("data", (bytes) => void setTimeout(() => to.write(bytes), delayMs));
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}

proxy.listen(0, "127.0.0.1", () => process.send?.((proxy.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
