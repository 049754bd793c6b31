import { describe, expect, it } from "vitest";
import { isLinkLocalAddress, isListedDestination, isPublicAddress } from "./public-address.ts";

describe("a public address", () => {
  it.each(["93.184.216.34", "8.8.8.8", "2606:4700::1111", "172.32.0.1", "100.128.0.1"])("is %s", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001::1",
    "fc00::1",
    "fd12::1",
    "fe80::1%eth0",
    "ff02::1",
    "localhost",
    "",
    "1.2.3",
  ])("is not %s", (address) => expect(isPublicAddress(address)).toBe(false));
});

describe("a link-local address", () => {
  it.each(["169.254.169.254", "::ffff:169.254.169.254", "fe80::1%eth0", "fd00:ec2::254", "100.100.100.200"])(
    "is %s",
    (address) => expect(isLinkLocalAddress(address)).toBe(true),
  );
  it.each(["127.0.0.1", "10.0.0.1", "fd12::1", "8.8.8.8", "localhost"])("is not %s", (address) =>
    expect(isLinkLocalAddress(address)).toBe(false),
  );
});

describe("a listed destination", () => {
  const to = (host: string, port = 80, address: string | null = null) => ({ host, port, address });
  it("is named with or without its port, or lies in a listed network", () => {
    expect(isListedDestination(["localhost"], to("localhost", 9))).toBe(true);
    expect(isListedDestination(["LocalHost:8080"], to("localhost", 8080))).toBe(true);
    expect(isListedDestination(["localhost:8080"], to("localhost", 9))).toBe(false);
    expect(isListedDestination(["127.0.0.1"], to("127.0.0.1", 3))).toBe(true);
    expect(isListedDestination(["[::1]:5"], to("::1", 5))).toBe(true);
    expect(isListedDestination(["::1"], to("::1", 5))).toBe(true);
    expect(isListedDestination(["10.0.0.0/8"], to("db.example", 5, "10.9.9.9"))).toBe(true);
    expect(isListedDestination(["10.0.0.0/8"], to("db.example", 5, "11.9.9.9"))).toBe(false);
    expect(isListedDestination(["10.0.0.0/99", "", "/8", "x/8"], to("db.example", 5, "10.9.9.9"))).toBe(false);
    expect(isListedDestination(["example.org"], to("evil-example.org"))).toBe(false);
  });
});
