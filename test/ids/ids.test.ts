import assert from 'node:assert/strict';
import { decodeTime } from 'ulid';
import { newId, type AgentId, type OperatorId } from '../../src/ids/ids.ts';

type Prefix = Parameters<typeof newId>[0];

/** Every prefix there is: one that is missing here does not compile. */
const prefixes = Object.keys({
  op: true,
  ag: true,
  key: true,
  idc: true,
  skl: true,
  sch: true,
  inv: true,
  rqt: true,
  txn: true,
  hld: true,
  pc: true,
  log: true,
  con: true,
  ms: true,
  bnd: true,
  mem: true,
  dsh: true,
  apr: true,
  msg: true,
  psp: true,
  ses: true,
  chk: true,
  chko: true,
  evt: true,
  top: true,
  dif: true,
  alm: true,
  rfd: true,
  sbc: true,
  prt: true,
  pyt: true,
  llm: true,
  mch: true,
  lpay: true,
  dst: true,
  chn: true,
  dlv: true,
  vcd: true,
  iev: true,
  ifw: true,
  pgr: true,
  inw: true,
} satisfies Record<Prefix, true>) as Prefix[];

type Takes<Wanted, Given> = Given extends Wanted ? true : false;

describe('newId', () => {
  it('is the prefix, an underscore and 26 characters of Crockford’s base 32', () => {
    for (const prefix of prefixes) assert.match(newId(prefix), new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`));
  });

  it('has prefixes of small letters, so that the first underscore ends them', () => {
    assert.deepEqual(
      prefixes.filter((prefix) => !/^[a-z]{2,4}$/.test(prefix)),
      [],
    );
  });

  it('never looks like a secret key of Stripe', () => {
    assert.equal((prefixes as string[]).includes('sk'), false);
  });

  it('sorts in the order of creation, within a millisecond too', () => {
    const ids = Array.from({ length: 10_000 }, () => newId('inv'));
    for (const [index, id] of ids.entries()) assert(index === 0 || id > (ids[index - 1] ?? ''), `${id} at ${index}`);
  });

  it('begins with the time of its creation', () => {
    const before = Date.now();
    const time = decodeTime(newId('evt').slice('evt_'.length));
    assert(time >= before && time <= Date.now());
  });

  it('is of a type of its own kind, which is a text and takes no other', () => {
    const taken: [Takes<OperatorId, AgentId>, Takes<OperatorId, string>, Takes<string, OperatorId>] = [
      false,
      false,
      true,
    ];
    const operator: OperatorId = newId('op');
    assert.deepEqual([...taken, typeof operator], [false, false, true, 'string']);
  });
});
