import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';

/** An address on the internet, one of this machine, or one of another kind: private, reserved, multicast, a tunnel, no address. */
type AddressKind = 'global' | 'loopback' | 'special';

/** A block of addresses, how many bits of it are fixed, and what it is for. */
export type Block = readonly [network: string, prefix: number, use: string];

/**
 * IPv4 blocks that no receiver on the internet has: IANA's special-purpose registry as a whole, those that it calls globally reachable too, since
 * they are sinks and relays; multicast; and the one public address behind which a cloud keeps its machine's own services.
 */
export const specialBlocks4: readonly Block[] = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by a carrier, with a metadata service of a cloud at 100.100.100.200'],
  ['127.0.0.0', 8, 'loopback'],
  ['168.63.129.16', 32, 'services of the machine on Azure'],
  ['169.254.0.0', 16, 'link-local, with the metadata services of most clouds'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'protocol assignments, with a metadata service of a cloud at 192.0.0.192'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.31.196.0', 24, 'AS112'],
  ['192.52.193.0', 24, 'AMT relays'],
  ['192.88.99.0', 24, '6to4 relays'],
  ['192.168.0.0', 16, 'private'],
  ['192.175.48.0', 24, 'AS112'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, and broadcast'],
];

/**
 * IANA gives addresses of single machines out of this block alone. Outside of it lie loopback, link-local, unique local, multicast,
 * IPv4 mapped, compatible or translated by NAT64, discard, segment routing, and all that may be added.
 */
const GLOBAL_UNICAST_6: Block = ['2000::', 3, 'global unicast'];

/** IPv6 blocks inside of global unicast that no receiver has; 6to4 and Teredo carry an IPv4 address, which may be any. */
export const specialBlocks6: readonly Block[] = [
  ['2001::', 23, 'protocol assignments: Teredo, benchmarks, AMT, ORCHID, drones'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['2620:4f:8000::', 48, 'AS112'],
  ['3ffe::', 16, '6bone, given back'],
  ['3fff::', 20, 'documentation'],
];

const listOf = (family: 'ipv4' | 'ipv6', blocks: readonly Block[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of blocks) list.addSubnet(network, prefix, family);
  return list;
};

const special4 = listOf('ipv4', specialBlocks4);
const special6 = listOf('ipv6', specialBlocks6);
const global6 = listOf('ipv6', [GLOBAL_UNICAST_6]);
const loopback4 = listOf('ipv4', [['127.0.0.0', 8, 'loopback']]);
const loopback6 = listOf('ipv6', [['::1', 128, 'loopback']]);

/**
 * @param address IPv4 in four decimal parts or IPv6 as DNS, a socket or a parsed URL has it, without brackets. Anything else, and a zone
 * behind it, is special.
 */
export function kindOf(address: string): AddressKind {
  if (isIPv4(address)) {
    if (loopback4.check(address, 'ipv4')) return 'loopback';
    return special4.check(address, 'ipv4') ? 'special' : 'global';
  }
  if (!isIPv6(address) || address.includes('%')) return 'special';
  // A mapped 127.0.0.1 is special: net.BlockList would find it in the list of IPv4, and nothing needs it.
  if (loopback6.check(address, 'ipv6')) return 'loopback';
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6') ? 'global' : 'special';
}

/** Whether two texts are one address: DNS, URLs and sockets shorten IPv6 in ways of their own. */
export const sameAddress = (one: string, other: string): boolean => canonical(one) === canonical(other);

const canonical = (address: string): string =>
  new SocketAddress({ address, family: isIPv6(address) ? 'ipv6' : 'ipv4' }).address;
