import { CarnetError } from '../../errors/carnet-error.ts';
import { conjoined, intentConstraint, loosenedBy, type IntentEntry, type SignedConstraint } from './constraints.ts';
import type { ServiceScope } from '../token.ts';

/** What may be passed on of one service: a grant at issue, the parent's service at delegation. */
export type Allowance = Omit<ServiceScope, 'constraints'> & { constraints: SignedConstraint[] };

/** What is asked of one service; everything that is left out is inherited. */
export interface AskedScope {
  service_connection_id: string;
  /** `*`: everything that may be passed on (decisions §3.8). */
  scopes: readonly string[];
  constraints?: readonly SignedConstraint[] | undefined;
  intents?: readonly IntentEntry[] | undefined;
  allow_data_from?: readonly string[] | undefined;
}

/** The code of a scope beyond what may be passed on: not granted at issue, an escalation at delegation (decisions A4, A6). */
export type Beyond = 'SCOPE_NOT_GRANTED' | 'SCOPE_ESCALATION';

const ALL = '*';

/**
 * The services asked for, each within what is allowed: never more scopes, more sources of data or looser limits.
 * @throws CarnetError SCOPE_NOT_GRANTED, SCOPE_ESCALATION
 */
export const narrowed = (
  allowances: readonly Allowance[],
  asked: readonly AskedScope[],
  beyond: Beyond,
): ServiceScope[] => {
  const byConnection = new Map(allowances.map((allowance) => [allowance.connection_id, allowance]));
  return asked.map((scope, index) => {
    const allowance = byConnection.get(scope.service_connection_id);
    if (allowance === undefined) {
      throw refusal(
        beyond,
        `scopes.${index}.service_connection_id`,
        `${scope.service_connection_id} is not among what may be passed on`,
      );
    }
    return {
      service_id: allowance.service_id,
      service_name: allowance.service_name,
      scopes: narrowedScopes(allowance, scope, `scopes.${index}.scopes`, beyond),
      credential_ref: allowance.credential_ref,
      connection_id: allowance.connection_id,
      allow_data_from: narrowedSources(allowance, scope, `scopes.${index}.allow_data_from`),
      constraints: narrowedConstraints(allowance, scope, `scopes.${index}`),
    };
  });
};

function narrowedScopes(allowance: Allowance, { scopes }: AskedScope, path: string, beyond: Beyond): string[] {
  const extra = scopes.find((scope) => scope !== ALL && !allowance.scopes.includes(scope));
  if (extra !== undefined) throw refusal(beyond, path, `${extra} is not among the scopes that may be passed on`);
  return scopes.includes(ALL) ? [...allowance.scopes] : [...new Set(scopes)];
}

function narrowedSources(allowance: Allowance, { allow_data_from: sources }: AskedScope, path: string): string[] {
  if (sources === undefined) return [...allowance.allow_data_from];
  const extra = sources.find((source) => source !== ALL && !allowance.allow_data_from.includes(source));
  if (extra !== undefined)
    throw refusal('SCOPE_ESCALATION', path, `content of ${extra} may not flow into this service`);
  return sources.includes(ALL) ? [...allowance.allow_data_from] : [...new Set(sources)];
}

function narrowedConstraints(
  allowance: Allowance,
  { constraints = [], intents = [] }: AskedScope,
  path: string,
): SignedConstraint[] {
  for (const [index, constraint] of constraints.entries()) {
    assertTighter(constraint, allowance, `${path}.constraints.${index}`);
  }
  const intended = intents.length === 0 ? [] : [intentConstraint([...intents])];
  for (const constraint of intended) assertTighter(constraint, allowance, `${path}.intents`);
  return conjoined(allowance.constraints, [...constraints, ...intended]);
}

function assertTighter(constraint: SignedConstraint, { constraints }: Allowance, path: string): void {
  const loosened = loosenedBy(constraint, constraints);
  if (loosened === undefined) return;
  throw refusal(
    'SCOPE_ESCALATION',
    path,
    `would loosen ${loosened.param} ${loosened.op} ${JSON.stringify(loosened.value)}`,
  );
}

const refusal = (code: Beyond, path: string, message: string): CarnetError =>
  new CarnetError(code, `${path}: ${message}.`, { errors: [{ path, message, code: code.toLowerCase() }] });
