import { describe, expect, it } from "@jest/globals";
import { asHostname, isHost, isLoopback, parseHostHeader } from "../../../src/core/values/hostnames.js";

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

  it.each([
    ["localhost", "localhost"],
    ["LocalHost:4000", "localhost"],
    ["127.0.0.1:80", "127.0.0.1"],
    ["[::1]:3000", "[::1]"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ])("is what the Host header %s names: %s", (header, host) => {
    expect(parseHostHeader(header)).toBe(host);
  });

  it.each([
    "",
    "127.1",
    "127.1:4000",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "127.0.0.01",
    "127%2e0.0.1",
    "[0:0:0:0:0:0:0:1]",
    "::1",
    "evil@127.0.0.1",
    "127.0.0.1:99999",
    "127.0.0.1/",
    "１27.0.0.1",
  ])("is not what the Host header %j names", (header) => {
    expect(parseHostHeader(header)).toBeNull();
  });
});
