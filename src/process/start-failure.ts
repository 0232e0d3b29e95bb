import { ConfigFault } from '../context/config.ts';
import { StartupFault } from '../errors/startup-fault.ts';

/** Ends the process with what kept it from starting: one sentence for the faults we know, the error itself for one of ours. */
export function failStart(error: unknown): never {
  if (error instanceof ConfigFault || error instanceof StartupFault) console.error(`carnet: ${error.message}`);
  else console.error('carnet: the start failed by a fault of ours.', error);
  process.exit(1);
}
