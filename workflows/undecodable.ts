/**
 * The value that the payload converter hands over in place of a payload that no converter can read. Throwing would fail the workflow
 * task for ever, and with it every good signal behind the bad one.
 */
interface Undecodable {
  undecodable: true;
}

export const UNDECODABLE: Undecodable = Object.freeze({ undecodable: true });

/** By its shape: the converter and the workflow may each have loaded this module. */
export const isUndecodable = (value: unknown): value is Undecodable =>
  typeof value === 'object' && value !== null && 'undecodable' in value && value.undecodable === true;
