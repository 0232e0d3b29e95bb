import type { TreeWorld } from './tree-world.ts';

/** A passport as the model knows it; times in seconds since 1970. */
export interface ModelPassport {
  token: string;
  jti: string;
  lineage: Lineage;
  exp: number;
  status: 'valid' | 'expired' | 'revoked' | 'ancestor_revoked';
}

export interface ModelService {
  scopes: string[];
  sources: string[];
  /** The bounds of the limits `n lte …`, all of which hold; none: no limit. */
  bounds: number[];
}

/** A passport with its refreshes. */
export interface Lineage {
  agent: number;
  rootAgent: number;
  parent: Lineage | null;
  depth: number;
  session: string;
  mode: 'standard' | 'logged' | 'enforced';
  /** By connection. */
  services: Map<string, ModelService>;
  revoked: boolean;
  /** The latest of its members. */
  latest: number;
}

/** The rules for a tree of passports, written independently of how the service implements them. */
export class TreeModel {
  readonly passports: ModelPassport[] = [];
  /** Scopes granted now, by `agent connection`. */
  readonly granted = new Map<string, readonly string[]>();

  lineages(): Lineage[] {
    return [...new Set(this.passports.map(({ lineage }) => lineage))];
  }

  /** Those lineages and all below them. */
  descendants(roots: Lineage[]): Set<Lineage> {
    const below = new Set(roots);
    // Parents stand before their children.
    for (const lineage of this.lineages()) if (lineage.parent !== null && below.has(lineage.parent)) below.add(lineage);
    return below;
  }

  /** Revokes. @returns those that were valid until now. */
  revoke(named: Lineage[]): ModelPassport[] {
    const taken = this.descendants(named);
    const gone = this.passports.filter(({ lineage, status }) => taken.has(lineage) && status === 'valid');
    for (const passport of gone) passport.status = named.includes(passport.lineage) ? 'revoked' : 'ancestor_revoked';
    for (const lineage of taken) lineage.revoked = true;
    return gone;
  }

  /** The lineages with a valid passport: what a revocation of a scope revokes. */
  active(which: (lineage: Lineage) => boolean): Lineage[] {
    return this.lineages().filter(
      (lineage) => which(lineage) && this.passports.some((one) => one.lineage === lineage && one.status === 'valid'),
    );
  }

  /** Why a passport can be neither delegated nor refreshed; null: it can. */
  ended({ lineage, status }: ModelPassport): 'PASSPORT_REVOKED' | 'PASSPORT_EXPIRED' | null {
    if (lineage.revoked || status === 'revoked' || status === 'ancestor_revoked') return 'PASSPORT_REVOKED';
    return status === 'expired' ? 'PASSPORT_EXPIRED' : null;
  }

  /** Whether the agent at the root is still granted every scope, and every source of data. */
  stillGranted({ rootAgent, services }: Lineage, world: TreeWorld): boolean {
    const grantedOf = (connection: string): readonly string[] => this.grantedTo(world, rootAgent, connection);
    return [...services].every(
      ([connection, { scopes, sources }]) =>
        grantedOf(connection).length > 0 &&
        scopes.every((scope) => grantedOf(connection).includes(scope)) &&
        sources.every((source) => grantedOf(source).length > 0),
    );
  }

  grantedTo({ agents }: TreeWorld, agent: number, connection: string): readonly string[] {
    return this.granted.get(`${agents[agent]?.id} ${connection}`) ?? ['read', 'write', 'admin'];
  }
}
