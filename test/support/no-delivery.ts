import type { Delivery } from '../../src/context/ports.ts';

/** For a context whose messages nobody delivers. */
export const noDelivery: Delivery = {
  messagesCommitted: () => {},
  begin: async () => {},
  newestRun: async () => null,
};
