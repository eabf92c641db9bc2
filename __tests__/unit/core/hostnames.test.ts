import { describe, expect, it } from "@jest/globals";
import { asHostname, isHost, isLoopback } from "../../../src/core/values/hostnames.js";

describe("a host", () => {
  it.each([
    ["LOCALHOST", "localhost"],
    ["127.1", "127.0.0.1"],
    ["::1", "[::1]"],
    ["0:0:0:0:0:0:0:1", "[::1]"],
    ["[2001:DB8:0::1]", "[2001:db8::1]"],
    ["::ffff:127.0.0.1", "[::ffff:7f00:1]"],
    ["Bücher.example", "xn--bcher-kva.example"],
  ])("%s is spelt as in a URL: %s", (host, hostname) => {
    expect(isHost(host)).toBe(true);
    expect(asHostname(host)).toBe(hostname);
  });

  it.each([
    "",
    "http://a",
    "a:80",
    "[::1]:80",
    "user@a",
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "a b",
    "1:2",
    "256.1.1.1",
    "a%2Fb",
  ])("is not %j", (text) => {
    expect(isHost(text)).toBe(false);
  });

  it.each([
    ["localhost", true],
    ["127.0.0.2", true],
    ["[::1]", true],
    ["0.0.0.0", false],
    ["[::]", false],
    ["127.0.0.1.example", false],
    ["[::ffff:7f00:1]", false],
  ])("%s is a loopback address: %s", (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected);
  });
});
