import { BlockList, isIP } from "node:net";

/**
 * True for an address of the public internet. Everything else is refused unless it is listed: this machine, private
 * networks, link-local addresses (which cloud machines use for their keys), and ranges that embed such an address.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  const family = isIP(plain);
  if (family === 4) return !closed.check(plain, "ipv4");
  return family === 6 && open.check(plain, "ipv6") && !closed.check(plain, "ipv6");
}

/** Where cloud machines get their keys. Nobody is ever advised to list it. */
export function isLinkLocalAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  const family = isIP(plain);
  return family !== 0 && linkLocal.check(plain, family === 4 ? "ipv4" : "ipv6");
}

/** What an owner may list: `HOST`, `HOST:PORT`, `[ADDRESS]:PORT`, `ADDRESS/BITS`. */
export interface Destination {
  /** As in the URL, without brackets. */
  readonly host: string;
  readonly port: number;
  /** What the name was resolved to; null if it is not known yet. */
  readonly address: string | null;
}

export function isListedDestination(list: readonly string[], { host, port, address }: Destination): boolean {
  return list.some((entry) => {
    const [, network, bits] = /^([\d.:a-fA-F]+)\/(\d+)$/.exec(entry) ?? [];
    if (network !== undefined) return address !== null && isInNetwork(address, network, Number(bits));
    const [, bracketed, bare, wanted] = /^(?:\[([^\]]+)\]|([^:]+|[\da-fA-F:]{2,}(?=$)))(?::(\d+))?$/.exec(entry) ?? [];
    const name = (bracketed ?? bare ?? "").toLowerCase();
    return name !== "" && name === host.toLowerCase() && (wanted === undefined || Number(wanted) === port);
  });
}

function isInNetwork(address: string, network: string, bits: number): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(address) === 0 || bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family === 4 ? "ipv4" : "ipv6");
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("::ffff:169.254.0.0", 112, "ipv6");
linkLocal.addSubnet("fe80::", 10, "ipv6");
linkLocal.addAddress("fd00:ec2::254", "ipv6");
linkLocal.addAddress("100.100.100.200", "ipv4");

const open = new BlockList();
open.addSubnet("2000::", 3, "ipv6");

const closed = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  closed.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  // Teredo, documentation and 6to4, which embed other addresses.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  closed.addSubnet(network, bits, "ipv6");
