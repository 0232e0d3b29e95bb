/** A fault that keeps Carnet from starting: its message is one whole sentence: what is wrong, where, and what to do. */
export class StartupFault extends Error {
  override readonly name = 'StartupFault';
}
