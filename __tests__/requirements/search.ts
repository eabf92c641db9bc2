import type { Requirements } from "./requirement.js";

const source = "specification section 17";

export const search: Requirements = {
  "search.ranking": {
    source,
    says: "a passage scores by BM25 as itself, as a part of its surroundings and as a part of its file",
  },
  "search.order": {
    source,
    says: "hits of one score come by path in code-unit order, then by line, and never more than the limit",
  },
  "search.around": { source, says: "the neighbours of a passage, its headings, dates and path count with it" },
  "search.per-file": { source, says: 'with `per: "file"` each file gives its best passage' },
  "search.passages": {
    source,
    says: "a passage is a line, the lines of a wrapped paragraph, or a part of a long line, whose best part is the only hit",
  },
  "search.words": {
    source,
    says: "case and accents are folded, English words stemmed, scripts without spaces found by their characters and pairs of them",
  },
  "search.own-words": { source, says: "`searchWords` replaces how texts are split into words" },
  "search.large": { source, says: "a file of any size is searched, by the first 100 different words of a query" },
  "search.linear-time": { source, says: "a search takes time that grows with the texts alone, whatever they are" },
  "search.checked": { source, says: "a bad query or path is EINVAL, bad options are a TypeError" },
  "search.fresh": { source, says: "a search finds what has changed before it, whoever changed it" },
  "search.one-small-read": {
    source,
    says: "on MongoDB a search of a memory that has not changed is one command that reads no text",
  },
  "search.only-changes-are-indexed": {
    source,
    says: "the index is shared by all who open a memory, and only changed texts are indexed again",
  },
  "search.bounded-memory": { source, says: "the indexes of a process take at most 100 MB together" },
  "search.ends-in-time": { source, says: "indexing leaves the event loop to others, and ends with the call" },
  "search.others-are-not-found": { source, says: "nothing of another memory is found" },
  "search.in-mounts": {
    source,
    says: "in a tree of mounts each memory that has something at the path is searched, and what a mount hides is not found",
  },
  "search.for-models": {
    source,
    says: "models get a search only where it is asked for; the schemas of the other tools stay as they are",
  },
  "search.meaning": { source, says: "where the store has embeddings, the ranks by words and by meaning are fused" },
  "search.embedded-once": {
    source,
    says: "a text is embedded once for a memory, by whichever process searches first, and found by its hash after that",
  },
  "search.embedded-bounded": {
    source,
    says: "a call embeds 100 texts and a search 1,000; of a memory at most 50 MB of vectors are kept",
  },
  "search.meaning-is-forgotten": {
    source,
    says: "vectors go with their texts, with the memory, its user or thread, by redaction and by the time of the memory",
  },
  "search.models-side-by-side": {
    source,
    says: "vectors of different models lie side by side in a memory; a search removes those of the other models only where their text is gone",
  },
  "search.embedding-faults": {
    source,
    says: "vectors with wrong dimensions are EINVAL; what the embeddings client throws is passed on",
  },
  "search.bounded-answers": {
    source,
    says: "an answer for a model is bounded in characters, and says what was left out",
  },
};

export const grep: Requirements = {
  "grep.lines": { source, says: "lines are counted from 1 and come without their ends, of Unix or of Windows" },
  "grep.literal": { source, says: "a text is sought as it is" },
  "grep.limit": { source, says: "at most 100 lines are found, or as many as the limit says" },
  "grep.linear-time": {
    source,
    says: "no expression takes more time than grows with the text; others work meanwhile, and the call ends in its time",
  },
  "grep.optional-expressions": {
    source,
    says: "regular expressions need an optional package; without it grep says so",
  },
  "grep.checked": { source, says: "a bad pattern is EINVAL, bad options are a TypeError" },
};
