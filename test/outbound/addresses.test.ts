import assert from 'node:assert/strict';
import fc from 'fast-check';
import { kindOf, sameAddress } from '../../src/outbound/addresses.ts';
import { parseOutboundUrl } from '../../src/outbound/outbound-url.ts';

const policy = { allowLoopback: false, publicBaseUrl: 'https://carnet.example.com' };

/** Both special-purpose registries of IANA, row by row, and multicast; not the table that the code has. */
const registry4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '168.63.129.16/32',
];
const registry6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '3ffe::/16',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '4000::/3',
  '6000::/3',
  '8000::/3',
  'a000::/3',
  'c000::/3',
  'fd00:ec2::254/128',
];
/** Blocks that registries of the continents have given out. */
const public6 = ['2003::/18', '2400::/12', '2600::/14', '2606:4700::/32', '2800::/12', '2a00::/12', '2c00::/12'];

type Range = { first: bigint; bits: number; family: 4 | 6 };

const rangeOf = (block: string): Range => {
  const [network = '', prefix] = block.split('/');
  const family = network.includes(':') ? 6 : 4;
  return {
    first: family === 4 ? number4(network) : number6(network),
    bits: (family === 4 ? 32 : 128) - Number(prefix),
    family,
  };
};
const number4 = (address: string): bigint => address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
function number6(address: string): bigint {
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string): bigint[] => (part === '' ? [] : part.split(':').map((group) => BigInt(`0x${group}`)));
  const [first, last] = [groups(head), groups(tail)];
  const middle = Array.from({ length: 8 - first.length - last.length }, () => 0n);
  return [...first, ...middle, ...last].reduce((sum, group) => sum * 65_536n + group, 0n);
}
const text4 = (number: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
const text6 = (number: bigint): string =>
  Array.from({ length: 8 }, (_, index) => ((number >> BigInt(112 - 16 * index)) & 65_535n).toString(16)).join(':');
const textOf = (number: bigint, family: 4 | 6): string => (family === 4 ? text4(number) : text6(number));

const inside = (blocks: string[]): fc.Arbitrary<string> =>
  fc.constantFrom(...blocks.map(rangeOf)).chain(({ first, bits, family }) => {
    const last = (1n << BigInt(bits)) - 1n;
    const offset = fc.oneof(fc.bigInt({ min: 0n, max: last }), fc.constantFrom(0n, last));
    return offset.map((some) => textOf(first + some, family));
  });
const contains = (block: string, number: bigint): boolean => {
  const { first, bits } = rangeOf(block);
  return number >= first && number < first + (1n << BigInt(bits));
};
const any4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n });
const runs = { numRuns: 3_000 };

describe('An address', () => {
  it('in a special block of IANA is not global', () => {
    fc.assert(
      fc.property(inside([...registry4, ...registry6]), (address) => kindOf(address) !== 'global'),
      runs,
    );
  });

  it('of each special block is not global at its first and its last address', () => {
    for (const block of [...registry4, ...registry6]) {
      const { first, bits, family } = rangeOf(block);
      for (const number of [first, first + (1n << BigInt(bits)) - 1n]) {
        assert.notEqual(kindOf(textOf(number, family)), 'global', `${textOf(number, family)} of ${block}`);
      }
    }
  });

  it('of IPv4 is global exactly where no special block has it', () => {
    fc.assert(
      fc.property(any4, (number) => {
        const special = registry4.some((block) => contains(block, number));
        assert.equal(kindOf(text4(number)) === 'global', !special);
      }),
      runs,
    );
  });

  it('beside a special block of IPv4 is global', () => {
    for (const address of [
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
    ]) {
      assert.equal(kindOf(address), 'global', address);
    }
    for (const address of [
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
    ]) {
      assert.equal(kindOf(address), 'global', address);
    }
    for (const address of [
      '1.0.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '223.255.255.255',
      '168.63.129.15',
      '168.63.129.17',
    ]) {
      assert.equal(kindOf(address), 'global', address);
    }
  });

  it('of IPv6 that a registry has given out is global', () => {
    fc.assert(
      fc.property(inside(public6), (address) => kindOf(address) === 'global'),
      runs,
    );
  });

  it('of IPv6 that carries any IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) is not global, a public one neither', () => {
    const carried = (number: bigint): bigint[] => [
      (0xffffn << 32n) | number,
      number,
      number6('64:ff9b::') | number,
      number6('64:ff9b:1::') | number,
      number6('2002::') | (number << 80n),
      number6('2001::') | (number ^ 0xffffffffn),
      number6('2001::') | (number << 64n),
    ];
    fc.assert(
      fc.property(any4, (number) => {
        for (const address of carried(number)) {
          assert.notEqual(kindOf(text6(address)), 'global', text6(address));
          assert.equal(parseOutboundUrl(`https://[${text6(address)}]/`, policy).outcome, 'refused');
        }
        const dotted = `::ffff:${text4(number)}`;
        assert.equal(kindOf(dotted), 'special');
      }),
      { numRuns: 500 },
    );
  });

  it('that is special is refused in a URL in every spelling', () => {
    const spellings = ([a = 0, b = 0, c = 0, d = 0]: number[]): string[] => [
      `${a}.${b}.${c}.${d}`,
      `${a}.${b}.${c}.${d}.`,
      `${((a * 256 + b) * 256 + c) * 256 + d}`,
      `0x${(((a * 256 + b) * 256 + c) * 256 + d).toString(16)}`,
      `0${(((a * 256 + b) * 256 + c) * 256 + d).toString(8)}`,
      [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
      [a, b, c, d].map((part) => `0x${part.toString(16)}`).join('.'),
      `${a}.${b}.${c * 256 + d}`,
      `${a}.${(b * 256 + c) * 256 + d}`,
      [...`${a}.${b}.${c}.${d}`]
        .map((sign) => (sign === '.' ? '。' : String.fromCodePoint(0xff10 + Number(sign))))
        .join(''),
    ];
    fc.assert(
      fc.property(inside(registry4), (address) => {
        for (const host of spellings(address.split('.').map(Number))) {
          const url = `https://${host}/`;
          const parsed = parseOutboundUrl(url, policy);
          assert(parsed.outcome === 'refused' && parsed.rule === 'address', `${url} ${JSON.stringify(parsed)}`);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is a loopback address in 127.0.0.0/8 and as ::1, and in no other form', () => {
    for (const address of ['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])
      assert.equal(kindOf(address), 'loopback');
    for (const address of [
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '0.0.0.0',
      '::',
      'fe80::1%lo',
    ]) {
      assert.equal(kindOf(address), 'special', address);
    }
  });

  it('that is none is special', () => {
    for (const text of [
      '',
      'localhost',
      '1.2.3',
      '0177.0.0.1',
      '2130706433',
      '[::1]',
      '1.2.3.4 ',
      '8.8.8.8/32',
      '2600::1%eth0',
    ]) {
      assert.equal(kindOf(text), 'special', text);
    }
  });

  it('is the same in another spelling', () => {
    assert(sameAddress('2600:0:0:0:0:0:0:1', '2600::1'));
    assert(sameAddress('2600::ABCD', '2600::abcd'));
    assert(!sameAddress('2600::1', '2600::2'));
    assert(!sameAddress('8.8.8.8', '8.8.4.4'));
    assert(!sameAddress('::ffff:8.8.8.8', '8.8.8.8'));
  });
});
