import type { Requirements } from "./requirement.js";

export const guarantees: Requirements = {
  "guarantees.atomic-across-processes": {
    source: "specification section 4",
    says: "parallel appends of several processes to one file all survive, once each",
  },
  "guarantees.linearizable": {
    source: "specification section 4",
    says: "calls of several processes have one order that explains all answers, also while the server is killed",
  },
  "guarantees.appends-survive": {
    source: "specification section 4",
    says: "concurrent appends to one file all survive, once each",
  },
  "guarantees.edits-survive": {
    source: "specification section 4",
    says: "concurrent edits and updates of one file all survive",
  },
  "guarantees.one-creation-wins": {
    source: "specification section 4",
    says: "of concurrent creations of one file exactly one wins",
  },
  "guarantees.no-half-commands": {
    source: "specification section 4",
    says: "no reader sees half a command",
  },
  "guarantees.delete-racing-append": {
    source: "specification section 4",
    says: "a directory delete racing an append ends in one of the two orders",
  },
  "guarantees.searches-are-linear": {
    source: "specification section 4",
    says: "no text that is searched for takes time that grows faster than its length and that of what is searched",
  },
  "guarantees.others-get-their-turn": {
    source: "specification section 4",
    says: "work that grows with what a memory holds leaves the event loop to others between its steps",
  },
  "guarantees.server-searches-little": {
    source: "specification section 4",
    says: "a search over the bound of the server is made by the client",
  },
  "guarantees.survives-kill": {
    source: "specification section 4",
    says: "an acknowledged append survives kill -9 of the server, once",
  },
  "guarantees.majority-and-journal": {
    source: "measured: MongoDB",
    says: "memories are written with write concern majority and journal",
  },
  "guarantees.write-concern-of-the-options": {
    source: "specification section 4",
    says: "memories are written with another write concern where the options say so",
  },
  "guarantees.items-use-the-client-setting": {
    source: "specification section 11",
    says: "items are written with the client's own write concern",
  },
  "guarantees.refused-changed-nothing": {
    source: "specification section 4",
    says: "a refused command changed nothing",
  },
  "guarantees.unknown-outcome": {
    source: "specification section 4",
    says: "a change whose connection broke is EIO that says the outcome is unknown",
  },
  "guarantees.never-repeated-blindly": {
    source: "measured: MongoDB",
    says: "an append whose connection broke lands at most once",
  },
  "guarantees.one-command-each": {
    source: "specification section 4",
    says: "read, list, append, update, delete, write, stat and snapshot are one server command when uncontended",
  },
  "guarantees.two-commands-at-most": {
    source: "specification section 4",
    says: "rename and edit are at most two server commands",
  },
  "guarantees.first-write-is-one-command": {
    source: "specification section 4",
    says: "the first write of a memory is one server command",
  },
  "guarantees.file-limit": {
    source: "specification section 4",
    says: "a file has at most 1,000,000 bytes of UTF-8 by default, counted in bytes",
  },
  "guarantees.memory-limit": {
    source: "specification section 4",
    says: "a memory has at most 15,000,000 bytes",
  },
  "guarantees.limits-before-writing": {
    source: "specification section 4",
    says: "a limit is checked before anything is written and leaves everything as it was",
  },
  "guarantees.limits-on-every-way": {
    source: "reported: other memories",
    says: "append, update, edit and write all keep the limit of a file",
  },
  "guarantees.storage-down": {
    source: "specification section 4",
    says: "every command is EIO while the storage is down",
  },
  "guarantees.storage-slow": {
    source: "specification section 4",
    says: "a hanging storage is EIO within the timeouts of the client",
  },
  "guarantees.storage-back": {
    source: "specification section 4",
    says: "work goes on after the storage is back",
  },
  "guarantees.no-unhandled-rejection": {
    source: "specification section 4",
    says: "an outage leaves no unhandled rejection",
  },
  "guarantees.model-chooses-no-memory": {
    source: "specification section 4",
    says: "nothing in a tool's arguments chooses another node, thread or scope",
  },
  "guarantees.first-writes-never-refused": {
    source: "measured: MongoDB",
    says: "concurrent first writes of a memory are never refused, which other filters than the index's fields would be",
  },
  "guarantees.outlives-the-run": {
    source: "measured: LangGraph 1.7",
    says: "a command begun in a run and finished after it is carried out, which LangGraph's wrapper would never settle",
  },
  "guarantees.memory-limit-on-every-way": {
    source: "specification section 4",
    says: "every command keeps the limit of a memory, and a rename to longer names too",
  },
  "guarantees.endless-replacements": {
    source: "specification section 4",
    says: "an update that asks for more than a text can hold is EFBIG",
  },
};
