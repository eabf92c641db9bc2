import type { Requirements } from "./requirement.js";

export const errors: Requirements = {
  "errors.codes": {
    source: "specification section 9",
    says: "the codes are eleven, and all are explained in the documentation",
  },
  "errors.branded": {
    source: "specification section 9",
    says: "MemoryError.isInstance recognises an error of another copy of the package",
  },
  "errors.cause": {
    source: "specification section 9",
    says: "a failure of the storage has the driver's error as its cause, which the message does not repeat",
  },
  "errors.first-connection": {
    source: "specification section 4",
    says: "the first call of a store that reaches no server fails within 5 s and says why, never that the outcome is unknown",
  },
  "errors.type-errors": {
    source: "specification section 9",
    says: "a programming mistake of the caller is a TypeError",
  },
  "errors.missing-is-not-failed": {
    source: "specification section 9",
    says: "a storage that fails is never answered as something missing",
  },
  "errors.stores-branded": {
    source: "measured: LangGraph 1.7",
    says: "MongoMemoryStore.isInstance recognises a store of another copy of the package",
  },
  "errors.path": {
    source: "specification section 9",
    says: "the error of a refused call on one path holds the path",
  },
  "errors.options-say-what-would-do": {
    source: "specification section 9",
    says: "bad options are told what was given and what would do",
  },
};
