import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { ledgerFacts, ledgerLaws } from './laws/index.ts';

/** Faults of a law that are told in full: the first of a thousand tell no less. */
const TOLD = 10;

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

/** A law, and what looking at every row that it is about has shown. */
export interface LedgerProof {
  law: string;
  means: string;
  of: string;
  /** Rows that the law was held against, and those of them that break it. */
  lookedAt: number;
  broken: number;
  /** The first ten of the broken ones. */
  faults: readonly LedgerFault[];
}

/**
 * Holds every law of the ledger against every row it is about. One statement, so it sees one snapshot and is true while commands run.
 */
export async function proveLedger(connection: CommonQueryMethods): Promise<readonly LedgerProof[]> {
  const proofs = ledgerLaws.map(
    ({ rows }, at) => sql.fragment`
      select ${at}::int as at, count(*) as looked_at, count(*) filter (where holds is not true) as broken,
        to_json((array_agg(json_build_object('subject', subject, 'stored', stored, 'proven', proven) order by subject)
          filter (where holds is not true))[1:${TOLD}]) as faults
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

/** Everything the ledger breaks, at most ten rows a law; empty when it is right. */
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
