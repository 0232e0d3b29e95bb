import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { ledgerFacts, ledgerLaws } from './laws/index.ts';

/**
 * Faults of one law that a proof lists. When a law breaks a thousand times, the first ten show why as well as all of
 * them.
 */
const FAULTS_LISTED = 10;

const ProofRow = z.object({
  at: z.number(),
  looked_at: z.number(),
  broken: z.number(),
  faults: z
    .array(z.object({ subject: z.string(), stored: z.string().nullable(), proven: z.string().nullable() }))
    .nullable(),
});

/** A law of the ledger that some row breaks: what is stored, and what the other rows prove. */
export interface LedgerFault {
  law: string;
  subject: string;
  stored: string | null;
  proven: string | null;
}

/** A law, and the result of checking it on every row that it is about. */
export interface LedgerProof {
  law: string;
  means: string;
  of: string;
  /** Rows that were checked, and those of them that break the law. */
  lookedAt: number;
  broken: number;
  /** The first ten of the broken ones. */
  faults: readonly LedgerFault[];
}

/**
 * Checks every law of the ledger on every row it is about. One statement, so it sees one snapshot and is true while
 * commands run.
 */
export async function proveLedger(connection: CommonQueryMethods): Promise<readonly LedgerProof[]> {
  const proofs = ledgerLaws.map(
    ({ rows }, at) => sql.fragment`
      select ${at}::int as at, count(*) as looked_at, count(*) filter (where holds is not true) as broken,
        to_json((array_agg(json_build_object('subject', subject, 'stored', stored, 'proven', proven) order by subject)
          filter (where holds is not true))[1:${FAULTS_LISTED}]) as faults
      from (${rows}) law`,
  );
  const rows = await connection.any(sql.type(ProofRow)`
    with ${ledgerFacts} ${sql.join(proofs, sql.fragment` union all `)} order by at`);
  return rows.map(({ at, looked_at, broken, faults }) => {
    const { law, means, of } = ledgerLaws[at] ?? fail(`There is no law ${at}.`);
    return { law, means, of, lookedAt: looked_at, broken, faults: (faults ?? []).map((fault) => ({ law, ...fault })) };
  });
}

const fail = (message: string): never => {
  throw new Error(message);
};

/** The rows that break a law, at most ten a law; empty when the ledger is right. */
export const ledgerFaults = async (connection: CommonQueryMethods): Promise<readonly LedgerFault[]> =>
  (await proveLedger(connection)).flatMap(({ faults }) => faults);

/** @example `a wallet is the sum of its transfers: op_… has 11, should have 10` */
export const faultText = ({ law, subject, stored, proven }: LedgerFault): string =>
  `${law}: ${subject} has ${stored ?? 'nothing'}, should have ${proven ?? (stored === null ? 'something' : 'another')}`;

/** @throws Error listing every law that does not hold. */
export async function assertLedger(connection: CommonQueryMethods): Promise<void> {
  const faults = await ledgerFaults(connection);
  if (faults.length > 0)
    throw new Error(`The ledger is wrong.\n${faults.map((fault) => `  ${faultText(fault)}`).join('\n')}`);
}
