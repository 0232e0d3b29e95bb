import { Fault, must } from './fault.ts';
import { ED25519, parseVerifierKey, sameKey, type VerifierKey } from './keys.ts';

/** Which logs and witnesses are trusted, and how many witnesses are enough (C2SP tlog-policy). */
export interface Policy {
  logs: VerifierKey[];
  witnesses: VerifierKey[];
  /** The name on the quorum line, `none` included. */
  quorum: string;
  /** Whether the witnesses that signed are enough. */
  isMetBy(signers: readonly VerifierKey[]): boolean;
}

type Rule = (signers: readonly VerifierKey[]) => boolean;

/** @throws Fault that names the line */
export function parsePolicy(file: string): Policy {
  const logs: VerifierKey[] = [];
  const witnesses: VerifierKey[] = [];
  const rules = new Map<string, Rule>();
  const members = new Set<string>();
  let quorum: { name: string; rule: Rule } | undefined;

  const add = (to: VerifierKey[], text: string): VerifierKey => {
    const vkey = parseVerifierKey(text);
    must(!to.some((other) => sameKey(other, vkey)), `the key of ${vkey.name} stands twice`);
    to.push(vkey);
    return vkey;
  };
  const define = (name: string, rule: Rule): void => {
    must(name !== 'none' && !rules.has(name), `the name ${name} is taken`);
    rules.set(name, rule);
  };
  const ruleOf = (name: string): Rule => {
    const rule = rules.get(name);
    must(rule !== undefined, `${name} is not defined before`);
    return rule;
  };
  const statements: Record<string, (words: string[]) => void> = {
    log: ([vkey = '', , ...more]) => {
      must(vkey !== '' && more.length === 0, 'a log is `log <vkey> [<url>]`');
      add(logs, vkey);
    },
    witness: ([name = '', text = '', , ...more]) => {
      must(text !== '' && more.length === 0, 'a witness is `witness <name> <vkey> [<url>]`');
      const vkey = add(witnesses, text);
      must(vkey.type !== ED25519, `the key of ${vkey.name} makes no cosignatures (type 4 or 6)`);
      define(name, (signers) => signers.includes(vkey));
    },
    group: ([name = '', least = '', ...names]) => {
      const needed =
        least === 'any' ? 1 : least === 'all' ? names.length : /^[1-9]\d*$/.test(least) ? Number(least) : 0;
      must(needed >= 1 && needed <= names.length, 'a group is `group <name> all|any|<k> <name>…`, with 1 ≤ k ≤ names');
      for (const member of names) {
        must(!members.has(member), `${member} is a member twice`);
        members.add(member);
      }
      const parts = names.map(ruleOf);
      define(name, (signers) => parts.filter((part) => part(signers)).length >= needed);
    },
    quorum: ([name = '', ...more]) => {
      must(name !== '' && more.length === 0, 'a quorum is `quorum <name>`');
      must(quorum === undefined, 'there are two quorums');
      quorum = { name, rule: name === 'none' ? () => true : ruleOf(name) };
    },
  };

  for (const [index, line] of file.split('\n').entries()) {
    const [keyword = '', ...words] = line.split(/[ \t]+/).filter((word) => word !== '');
    if (keyword === '' || keyword.startsWith('#')) continue;
    try {
      const statement = Object.hasOwn(statements, keyword) ? statements[keyword] : undefined;
      must(statement !== undefined, `${keyword} is not log, witness, group or quorum`);
      statement(words);
    } catch (error) {
      throw error instanceof Fault ? new Fault(`line ${index + 1} of the policy: ${error.message}`) : error;
    }
  }
  must(quorum !== undefined, 'the policy has no line `quorum`');
  return { logs, witnesses, quorum: quorum.name, isMetBy: quorum.rule };
}
