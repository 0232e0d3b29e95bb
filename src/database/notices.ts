import type { DriverFactory } from 'slonik';

/** The notice of a transaction in which a trigger has left messages for lives, as `announce_messages.sql` raises it. */
const MESSAGES_LEFT = 'carnet: messages left';

/**
 * A driver that passes on when a trigger has left messages for lives: what happens at the end of a transaction is in the answer of none of
 * its statements. The notice comes a moment before the commit has ended; of a transaction that fails there is nothing to deliver.
 */
export const driverWithNotices =
  (makeDriver: DriverFactory, onMessages: () => void): DriverFactory =>
  async (setup) => {
    const driver = await makeDriver(setup);
    return {
      ...driver,
      async createClient() {
        const client = await driver.createClient();
        client.on('notice', ({ message }) => {
          if (message === MESSAGES_LEFT) onMessages();
        });
        return client;
      },
    };
  };
