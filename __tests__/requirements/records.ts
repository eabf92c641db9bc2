import type { Requirements } from "./requirement.js";

export const records: Requirements = {
  "records.tools": {
    source: "Dominds records",
    says: "the tools are add_memory, replace_memory, drop_memory and clear_memory, with path and content as required texts",
  },
  "records.add-result": {
    source: "Dominds records",
    says: "add_memory answers status, path, content_size and created_at, in this order",
  },
  "records.add-existing": {
    source: "Dominds records",
    says: "add_memory of a path that exists is MEMORY_ALREADY_EXISTS and points to replace_memory",
  },
  "records.replace-result": {
    source: "Dominds records",
    says: "replace_memory sets the whole content and answers status, path, content_size and updated_at",
  },
  "records.replace-missing": {
    source: "Dominds records",
    says: "replace_memory of nothing is MEMORY_NOT_FOUND and points to add_memory",
  },
  "records.drop-result": {
    source: "Dominds records",
    says: "drop_memory deletes one memory and answers status, path and deleted_at",
  },
  "records.drop-missing": {
    source: "Dominds records",
    says: "drop_memory of nothing is MEMORY_NOT_FOUND",
  },
  "records.drop-takes-no-folder": {
    source: "Dominds records",
    says: "drop_memory never takes a folder, nor what was added below its path meanwhile",
  },
  "records.clear-result": {
    source: "Dominds records",
    says: "clear_memory deletes all and answers status, cleared_count and cleared_at",
  },
  "records.clear-of-nothing": {
    source: "Dominds records",
    says: "clear_memory succeeds where nothing is stored",
  },
  "records.error-form": {
    source: "Dominds records",
    says: "an error has status, error_code and message, in this order",
  },
  "records.yaml": {
    source: "specification section 10",
    says: "an answer is one plain YAML mapping, unfenced, a line for each field",
  },
  "records.yaml-reads-back": {
    source: "specification section 10",
    says: "an answer reads as what was said, whatever the texts, by YAML 1.1 and 1.2",
  },
  "records.times": {
    source: "specification section 10",
    says: "times are ISO 8601 in UTC with milliseconds",
  },
  "records.clock": {
    source: "specification section 10",
    says: "times come from the clock of the options, the system's without one",
  },
  "records.size-in-bytes": {
    source: "specification section 10",
    says: "content_size is bytes of UTF-8",
  },
  "records.content-limit": {
    source: "specification section 10",
    says: "a content has at most 1,000,000 bytes; a larger one is MEMORY_CONTENT_TOO_LARGE",
  },
  "records.path-limit": {
    source: "specification section 10",
    says: "a path has at most 255 characters",
  },
  "records.paths-are-relative": {
    source: "specification section 10",
    says: "a leading slash or a .. is MEMORY_PATH_INVALID",
  },
  "records.path-characters": {
    source: "Dominds records",
    says: "a new path holds letters and digits of any script, underscores, hyphens, dots and slashes only, and no hidden name",
  },
  "records.prefix": {
    source: "specification section 10",
    says: "a prefix lets an agent have two sets of the tools",
  },
  "records.reaching": {
    source: "specification section 2",
    says: "what another dialect wrote under another name is replaced and dropped all the same",
  },
  "records.storage-failures": {
    source: "measured: Dominds",
    says: "a failing storage is MEMORY_STORAGE_ERROR, without its own words or a host path",
  },
  "records.full-memory": {
    source: "measured: Dominds",
    says: "a full memory is told, and nothing has changed",
  },
  "records.thread-of-the-run": {
    source: "specification section 10",
    says: "the thread comes from the run, and its lack is told in the records' own form",
  },
  "records.arguments-of-any-shape": {
    source: "specification section 10",
    says: "bad arguments of any shape are answered, never thrown, and change nothing",
  },
  "records.refusals-are-marked": {
    source: "measured: LangGraph 1.7",
    says: "a refusal comes back as a message of status error",
  },
  "records.options-checked": {
    source: "specification section 9",
    says: "bad options, or what is no memory, are a TypeError",
  },
  "records.one-add-wins": {
    source: "measured: Dominds",
    says: "of parallel additions of one path one is accepted, and its content is there",
  },
  "records.one-command": {
    source: "specification section 4",
    says: "every tool is one server command, and a second one where it is refused",
  },
  "records.either-path-rule": {
    source: "specification section 10",
    says: "the tools work on a memory of either path rule",
  },
  "records.sent-by-every-client": {
    source: "measured: @langchain/anthropic 1.5",
    says: "every provider's client sends the tools, clear_memory without arguments too",
  },
  "records.in-a-folder": {
    source: "measured: Dominds",
    says: "in a folder records are files by their paths, whose contents are what was given",
  },
};
