import { describe, expect, it } from "@jest/globals";
import { getDatabaseName, getDatabaseTarget } from "../../../src/cli/targets/target-options.js";

describe("the database of a connection string", () => {
  it.each([
    ["mongodb://host/app", "app"],
    ["mongodb+srv://user:pass%2Fword@host/app?retryWrites=true", "app"],
    ["mongodb://a:1,b:2/my%20app", undefined],
    ["mongodb://a:1,b:2/caf%C3%A9?replicaSet=r", "café"],
    ["mongodb://host", undefined],
    ["mongodb://host/", undefined],
    ["mongodb://host/?authSource=admin", undefined],
    ["mongodb://host?x=a/b", undefined],
    ["mongodb://host/%E0%A4%A", undefined],
    ["mongodb://user:unescaped/secret@host/app", undefined],
  ])("%s is %s", (uri, name) => {
    expect(getDatabaseName(uri)).toBe(name);
  });
});

describe("the database of a command", () => {
  it.each([
    [{}, "env"],
    [{ db: "db" }, "db"],
    [{ uri: "mongodb://host/app" }, "app"],
    [{ uri: "mongodb://host/app", db: "db" }, "db"],
    [{ uri: "mongodb://host" }, undefined],
  ])("of the options %j is %s", (options, name) => {
    expect(getDatabaseTarget(options, { MONGODB_URI: "mongodb://host/env" }).dbName).toBe(name);
  });
});
