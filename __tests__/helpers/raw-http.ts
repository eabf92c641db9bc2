import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { connect } from "node:net";

export const jsonHeaders = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface RawRequest {
  /** @default "POST" */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends a request that no client would send. `fetch` always sets Host itself. */
export function send(url: string, { method = "POST", headers = {}, body = "" }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(url, { method, headers: { ...jsonHeaders, ...headers } }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    call.on("error", reject);
    call.end(body);
  });
}

/** Sends bytes to a server and returns its answer, until the server ends the connection. */
export function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}
