/**
 * A named point between two steps. In tests `FAULT_AT=<name>` ends the process here as a power cut would (rule 11);
 * in production the variable is unset and this is one comparison.
 */
export function faultPoint(name: string): void {
  if (process.env.FAULT_AT === name) process.kill(process.pid, 'SIGKILL');
}
