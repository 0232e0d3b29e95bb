/** The schema that the payload of a type must fit, written apart from the service's own schemas, which are tested against it. */
export interface Shape {
  type: string;
  /** The members that must be present; they alone are a valid payload. */
  required: Members;
  /** The members that may be left out. */
  optional?: Members;
  /** By dotted path: the value in payload_effective where the member was left out. */
  defaults?: Members;
  /** By dotted path: values that are refused there. A path outside of the shape is an unknown property. */
  refused: Record<string, unknown[]>;
  /** By dotted path: further values that are accepted. */
  taken?: Record<string, unknown[]>;
}

export type Members = Record<string, unknown>;

export const HASH = 'a0'.repeat(32);
export const cost = { wallet_cents: 0.5, tokens: 0, gas_gwei: null };

export const notTexts = [1, null, {}, []];
export const notNullableTexts = [1, {}, []];
export const notHashes = ['A0'.repeat(32), 'a0'.repeat(31), `${HASH}0`, `g${HASH.slice(1)}`, '', 1];
export const notNumbers = ['1', null, true];
export const notIntegers = ['1', null, 1.5, 2 ** 53];
export const notCounts = [...notIntegers, -1];
export const notNullableCounts = ['1', 1.5, -1];
export const notObjects = [[], 'text', 1, null];
export const notAgents = ['agent_1', 'ag_', 'agt_', 'ag_ä', 'ag_1 ', 'AG_1', 1];
export const notClaims = ['pc', 'pc_', 'PC_1', 'pc_a.b', 1, null];
export const notMissions = ['ms_', 'mission_1', 'ms_a b', 1];
export const notDetectors = ['', 'Injection', '1st', 'prompt-injection', '_x', 1];

/** The faults that are refused of a map of strings. */
export const mapAt = (name: string): Record<string, unknown[]> => ({
  [name]: notObjects,
  [`${name}.member`]: [1, null, {}],
});

/** The faults that are refused of a cost, which has exactly three members. */
export const costsAt = (name: string): Record<string, unknown[]> => ({
  [name]: notObjects,
  [`${name}.wallet_cents`]: [undefined, -0.1, '1'],
  [`${name}.tokens`]: [undefined, -1, 1.5, '1'],
  [`${name}.gas_gwei`]: [undefined, -1, '1'],
  [`${name}.euro_cents`]: [1],
});
