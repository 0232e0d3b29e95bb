import { NoteFault, parseVkey, type VerifierKey } from '../fields/verifier-key.ts';

/** A witness of a policy. */
export interface PolicyWitness {
  /** Within the policy alone. */
  name: string;
  key: VerifierKey;
  /** Its submission prefix (c2sp.org/tlog-witness); null: it is not asked. */
  url: string | null;
  /** The line of the file. */
  line: number;
}

/** Where a witness takes checkpoints (c2sp.org/tlog-witness), of its submission prefix. */
export const submissionUrl = (prefix: string): string => `${prefix}/add-checkpoint`;

/** A trust policy (c2sp.org/tlog-policy): who may witness checkpoints, and whose signatures are enough. */
export interface WitnessPolicy {
  witnesses: readonly PolicyWitness[];
  /** Whether the signatures of these keys, each as its vkey has it, are enough. */
  isMetBy(keys: readonly VerifierKey[]): boolean;
}

/** The fault of a policy: `message` is a sentence that names the line. */
export class PolicyFault extends Error {
  override readonly name = 'PolicyFault';
}

/** Whether a witness or a group has signed. */
type Signed = (signedBy: ReadonlySet<string>) => boolean;

const NONE = 'none';

/** Two verifier keys are the same where they have the same public key, no matter which name and id they have. */
const rawOf = ({ raw }: VerifierKey): string => raw.toString('base64');

/** @throws PolicyFault */
export function parseWitnessPolicy(text: string): WitnessPolicy {
  const witnesses: PolicyWitness[] = [];
  const logs = new Set<string>();
  const defined = new Map<string, Signed>();
  const members = new Set<string>();
  let quorum: Signed | undefined;

  const lineOf = (line: string, number: number): void => {
    const refuse = (fault: string): never => {
      throw new PolicyFault(`Line ${number} ${fault}.`);
    };
    const keyOf = (vkey: string): VerifierKey => {
      try {
        return parseVkey(vkey);
      } catch (error) {
        if (!(error instanceof NoteFault)) throw error;
        return refuse(`has a faulty key: ${error.message.replace(/\.$/, '')}`);
      }
    };
    const define = (name: string, signed: Signed): void => {
      if (name === NONE || defined.has(name)) refuse(`defines ${name}, which is defined already`);
      defined.set(name, signed);
    };
    const named = (name: string): Signed => defined.get(name) ?? refuse(`names ${name}, which no line before defines`);

    const [word = '', ...rest] = line.split(/[ \t]+/);
    if (word === 'log' && (rest.length === 1 || rest.length === 2)) {
      const raw = rawOf(keyOf(rest[0] ?? ''));
      if (logs.has(raw)) refuse('has the key of a log above');
      logs.add(raw);
    } else if (word === 'witness' && (rest.length === 2 || rest.length === 3)) {
      const [name = '', vkey = '', url = null] = rest;
      const key = keyOf(vkey);
      if (key.type === 0x01) refuse('has a key that makes no cosignatures (type 4 or 6)');
      if (witnesses.some((other) => rawOf(other.key) === rawOf(key))) refuse('has the key of a witness above');
      if (url !== null && !URL.canParse(url)) refuse('has an address that is none');
      define(name, (signedBy) => signedBy.has(rawOf(key)));
      witnesses.push({ name, key, url: url?.replace(/\/+$/, '') ?? null, line: number });
    } else if (word === 'group' && rest.length >= 3) {
      const [name = '', threshold = '', ...names] = rest;
      const needed = threshold === 'any' ? 1 : threshold === 'all' ? names.length : Number(threshold);
      if (!/^(any|all|[1-9]\d*)$/.test(threshold) || needed > names.length)
        refuse(`needs ${threshold} of ${names.length}`);
      for (const member of names) {
        if (members.has(member)) refuse(`names ${member}, which is a member already`);
        members.add(member);
      }
      const each = names.map(named);
      define(name, (signedBy) => each.filter((signed) => signed(signedBy)).length >= needed);
    } else if (word === 'quorum' && rest.length === 1) {
      if (quorum !== undefined) refuse('is a second quorum');
      quorum = rest[0] === NONE ? () => true : named(rest[0] ?? '');
    } else {
      refuse('is no log, witness, group or quorum (c2sp.org/tlog-policy)');
    }
  };

  // oxlint-disable-next-line no-control-regex -- the only ones that a policy may have are tab and newline
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) throw new PolicyFault('There are control characters in it.');
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.replace(/^[ \t]+|[ \t]+$/g, '');
    if (line !== '' && !line.startsWith('#')) lineOf(line, at + 1);
  }
  if (quorum === undefined) throw new PolicyFault('There is no line `quorum`.');
  const isMet = quorum;
  return { witnesses, isMetBy: (keys) => isMet(new Set(keys.map(rawOf))) };
}
