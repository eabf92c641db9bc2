import type { Requirements } from "./requirement.js";

export const dialects: Requirements = {
  "dialects.every-backend": {
    source: "specification section 8",
    says: "every dialect works on every backend, and is refused in its own form where the storage fails",
  },
  "dialects.flat-schemas": {
    source: "measured: @langchain/anthropic 1.5",
    says: "every tool of a dialect is described by a flat schema that takes nothing else",
  },
  "dialects.arguments-of-any-shape": {
    source: "specification section 10",
    says: "every dialect answers arguments of any shape in its own form, without a word of the host",
  },
  "dialects.parallel-calls-land": {
    source: "specification section 4",
    says: "parallel calls of every dialect through two memories opened apart all land, once each",
  },
  "dialects.threads-are-apart": {
    source: "specification section 4",
    says: "every dialect keeps threads apart and never reaches the global memory from one",
  },
  "dialects.passes-on-aborts": {
    source: "specification section 3",
    says: "every dialect passes on an abort and has then done nothing",
  },
  "dialects.passes-on-interrupts": {
    source: "specification section 3",
    says: "every dialect passes on an interrupt",
  },
};
