import assert from 'node:assert/strict';
import { createLogger } from '../../src/context/logging.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { openContext } from '../../src/process/open-context.ts';
import { service } from '../support/service.ts';

describe('OUTBOUND_ALLOW_LOOPBACK', () => {
  /** The log of a start, and what becomes of a loopback address over http. */
  const startWith = async (settings: Record<string, string>): Promise<{ log: string; outcome: string }> => {
    const { databaseUrl, credentials } = service();
    const config = completeConfig(
      readSettings({ LOCAL_PROVIDERS: 'true', PUBLIC_BASE_URL: 'http://127.0.0.1:3000', ...settings }),
      {
        databaseUrl,
        temporalAddress: credentials.temporal_address,
        platformAdminKey: credentials.admin_api_key,
        encryptionKeys: [Buffer.alloc(32)],
      },
    );
    const lines: string[] = [];
    const log = createLogger('warn', { write: (line) => void lines.push(line) });
    const context = await openContext(config, log, { messagesCommitted() {}, async begin() {} });
    const { outcome } = context.outbound.parse('http://127.0.0.1:4000/');
    await context.close();
    return { log: lines.join(''), outcome };
  };

  it('is off by default', async () => {
    const { log, outcome } = await startWith({});
    assert.equal(outcome, 'refused');
    assert.doesNotMatch(log, /OUTBOUND_ALLOW_LOOPBACK/);
  });

  it('lets receivers be on this machine, and logs a warning at the start', async () => {
    const { log, outcome } = await startWith({ OUTBOUND_ALLOW_LOOPBACK: 'true' });
    assert.equal(outcome, 'parsed');
    assert.match(log, /"level":"warn".*OUTBOUND_ALLOW_LOOPBACK is true/);
  });
});
