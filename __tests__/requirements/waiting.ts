import type { Requirements } from "./requirement.js";

export const waiting: Requirements = {
  "waiting.time-limit": {
    source: "specification section 4",
    says: "every call of a memory and of the store ends within its time limit, with EIO",
  },
  "waiting.abort": {
    source: "specification section 4",
    says: "a signal ends every call with its reason, and sends nothing where it has aborted before",
  },
  "waiting.own-work": {
    source: "specification section 4",
    says: "a call ends by its time limit and by its signal in the middle of the work of its process too",
  },
  "waiting.signal-of-the-run": {
    source: "specification section 4",
    says: "the signal of a run ends the calls of its tools and of its connector, one called directly too",
  },
  "waiting.nothing-begins-later": {
    source: "specification section 4",
    says: "what a call has not begun when it is over is not begun later",
  },
  "waiting.nothing-stays": {
    source: "specification section 4",
    says: "a call that is over leaves no listener and no timer",
  },
  "waiting.server-stops-too": {
    source: "specification section 4",
    says: "MongoDB is told the time limit of each change, and reads end with their call",
  },
  "waiting.closing": {
    source: "specification section 4",
    says: "stopping a store ends though its server does not answer",
  },
  "waiting.options": {
    source: "specification section 4",
    says: "a time limit is a whole number of ms from 1, or Infinity for none",
  },
};
