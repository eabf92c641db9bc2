import type { Requirements } from "./requirement.js";

const source = "specification section 18";

export const watch: Requirements = {
  "watch.told": { source, says: "a watch tells what is created, modified and deleted from then on, by whomever" },
  "watch.once": { source, says: "nothing is told twice, and several changes of a file before the next look are one" },
  "watch.ends": { source, says: "a watch ends with its signal, when it is left, and when the store is closed" },
  "watch.streams": { source, says: "change streams tell of changes on replica sets, and no interval passes" },
  "watch.own-process": { source, says: "what the process itself changes is told at once on every backend" },
  "watch.costs": {
    source,
    says: "while nothing changes, the version alone is asked for, or nothing at all on a replica set",
  },
  "watch.connections": { source, says: "watches leave half of the connections of a client to all else" },
  "watch.outage": { source, says: "after an outage of the server nothing is missed, and nothing told twice" },
  "watch.two-processes": { source, says: "what another process changes is told" },
  "watch.slow": { source, says: "while a consumer is busy nothing is read" },
  "watch.failing": { source, says: "a storage that fails at the first look is told" },
  "watch.visible": {
    source,
    says: "nothing is told that is hidden: files below mount points, and proposals before they are approved",
  },
  "watch.folder": { source, says: "what hands and other processes change in a folder is told" },
};
