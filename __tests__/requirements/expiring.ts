import type { Requirements } from "./requirement.js";

const source = "specification section 15";

export const expiring: Requirements = {
  "expiring.gone-at-once": { source, says: "a memory is gone to every method from the ms when its time is up" },
  "expiring.new-memory": { source, says: "a change of an expired memory makes a new one" },
  "expiring.refused-removes-nothing": {
    source,
    says: "a change that an expired memory refuses, or that finds nothing in it, removes nothing",
  },
  "expiring.change-prolongs": { source, says: "the time runs from the last change, by whichever store it was" },
  "expiring.forget": { source, says: "forget removes what has expired" },
  "expiring.migration": { source, says: "files that bring earlier times do not let their memory expire sooner" },
  "expiring.no-cost": { source, says: "a store without expireMs sends the same commands as ever" },
  "expiring.options": { source, says: "expireMs is checked when the store is made" },
  "expiring.indexes": {
    source,
    says: "an index for each scope lets MongoDB sweep; its time is changed, and no other index ever",
  },
  "expiring.rights": { source, says: "where the right to change the time of an index is missing, the error says so" },
  "expiring.swept-on-request": {
    source,
    says: "sweepExpired and the command sweep remove all that has expired, with its versions",
  },
  "expiring.swept": { source, says: "MongoDB deletes what has expired" },
};
