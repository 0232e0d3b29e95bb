import { CarnetError } from '../../errors/carnet-error.ts';
import {
  combineConstraints,
  findLoosened,
  intentConstraint,
  type IntentEntry,
  type SignedConstraint,
} from './constraints.ts';
import type { ServiceScope } from '../token.ts';

/** The most that can be passed on of one service: the grant at issue, the parent's service at delegation. */
export type Allowance = Omit<ServiceScope, 'constraints'> & { constraints: SignedConstraint[] };

/** The request for one service; what is left out is inherited. */
export interface RequestedScope {
  service_connection_id: string;
  /** `*`: everything that may be passed on. */
  scopes: readonly string[];
  constraints?: readonly SignedConstraint[] | undefined;
  intents?: readonly IntentEntry[] | undefined;
  allow_data_from?: readonly string[] | undefined;
}

/** The code for a scope that may not be passed on: not granted at issue, an escalation at delegation. */
type ExcessCode = 'SCOPE_NOT_GRANTED' | 'SCOPE_ESCALATION';

const ALL = '*';

/**
 * The requested services, each within its allowance: never more scopes, more sources of data or looser limits.
 * @throws CarnetError SCOPE_NOT_GRANTED, SCOPE_ESCALATION
 */
export const narrowServices = (
  allowances: readonly Allowance[],
  requested: readonly RequestedScope[],
  excessCode: ExcessCode,
): ServiceScope[] => {
  const byConnection = new Map(allowances.map((allowance) => [allowance.connection_id, allowance]));
  return requested.map((scope, index) => {
    const allowance = byConnection.get(scope.service_connection_id);
    if (allowance === undefined) {
      throw refusal(excessCode, {
        path: `scopes.${index}.service_connection_id`,
        message: `${scope.service_connection_id} is not among the services that may be passed on`,
      });
    }
    return {
      service_id: allowance.service_id,
      service_name: allowance.service_name,
      scopes: narrowedScopes(allowance, scope, { path: `scopes.${index}.scopes`, excessCode }),
      credential_ref: allowance.credential_ref,
      connection_id: allowance.connection_id,
      allow_data_from: narrowedSources(allowance, scope, `scopes.${index}.allow_data_from`),
      constraints: narrowedConstraints(allowance, scope, `scopes.${index}`),
    };
  });
};

function narrowedScopes(
  allowance: Allowance,
  { scopes }: RequestedScope,
  { path, excessCode }: { path: string; excessCode: ExcessCode },
): string[] {
  const extra = scopes.find((scope) => scope !== ALL && !allowance.scopes.includes(scope));
  if (extra !== undefined)
    throw refusal(excessCode, { path, message: `${extra} is not among the scopes that may be passed on` });
  return scopes.includes(ALL) ? [...allowance.scopes] : [...new Set(scopes)];
}

function narrowedSources(allowance: Allowance, { allow_data_from: sources }: RequestedScope, path: string): string[] {
  if (sources === undefined) return [...allowance.allow_data_from];
  const extra = sources.find((source) => source !== ALL && !allowance.allow_data_from.includes(source));
  if (extra !== undefined)
    throw refusal('SCOPE_ESCALATION', { path, message: `content of ${extra} may not flow into this service` });
  return sources.includes(ALL) ? [...allowance.allow_data_from] : [...new Set(sources)];
}

function narrowedConstraints(
  allowance: Allowance,
  { constraints = [], intents = [] }: RequestedScope,
  path: string,
): SignedConstraint[] {
  for (const [index, constraint] of constraints.entries()) {
    assertTighter(constraint, allowance, `${path}.constraints.${index}`);
  }
  const intentLimits = intents.length === 0 ? [] : [intentConstraint([...intents])];
  for (const constraint of intentLimits) assertTighter(constraint, allowance, `${path}.intents`);
  return combineConstraints(allowance.constraints, [...constraints, ...intentLimits]);
}

function assertTighter(constraint: SignedConstraint, { constraints }: Allowance, path: string): void {
  const loosened = findLoosened(constraint, constraints);
  if (loosened === undefined) return;
  throw refusal('SCOPE_ESCALATION', {
    path,
    message: `would loosen ${loosened.param} ${loosened.op} ${JSON.stringify(loosened.value)}`,
  });
}

/**
 * The audience of a passport with these services, each of which must be one of them, or `own`: this service, at which the passport invokes. One
 * without scopes in the passport would be good for nothing, and look like permission.
 * @throws CarnetError SCOPE_NOT_GRANTED, SCOPE_ESCALATION
 */
export function narrowAudience(
  audience: readonly string[],
  { services, own, excessCode }: { services: readonly ServiceScope[]; own: readonly string[]; excessCode: ExcessCode },
): string[] {
  const ids = new Set([...own, ...serviceIds(services)]);
  const extra = audience.findIndex((id) => !ids.has(id));
  if (extra === -1) return [...audience];
  throw refusal(excessCode, {
    path: `audience.${extra}`,
    message: `${audience[extra]} is not the service_id of a service of this passport`,
  });
}

/** The services that a passport of this audience is accepted by; without one, all of them. */
export const withinAudience = (services: readonly ServiceScope[], audience: readonly string[] | undefined) =>
  services.filter(({ service_id: id }) => audience === undefined || audience.includes(id));

export const serviceIds = (services: readonly ServiceScope[]): string[] => [
  ...new Set(services.map(({ service_id: id }) => id)),
];

const refusal = (code: ExcessCode, { path, message }: { path: string; message: string }): CarnetError =>
  new CarnetError(code, `${path}: ${message}.`, { errors: [{ path, message, code: code.toLowerCase() }] });
