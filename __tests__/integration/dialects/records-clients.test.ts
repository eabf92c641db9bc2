import { describe, expect, it } from "@jest/globals";
import { type ClientName, clients } from "../../helpers/provider-clients.js";
import { RecordBench } from "../../helpers/record-bench.js";
import { recordingServer } from "../../helpers/recording-server.js";

const server = recordingServer();

describe("the record tools", () => {
  it.each(Object.keys(clients) as ClientName[])(
    "are sent by %s, none with an empty object of properties",
    async (name) => {
      const { tools } = new RecordBench();
      await clients[name](server).bindTools?.(tools).invoke("go");
      const sent = JSON.stringify(server.take()[0]?.["tools"]);
      for (const tool of tools) expect(sent).toContain(JSON.stringify(tool.description));
      expect(sent.match(/"path":\{"type":"string"/g)).toHaveLength(3);
      expect(sent.match(/"content":\{"type":"string"/g)).toHaveLength(2);
      expect(sent).not.toContain('"properties":{}');
    },
  );
});
