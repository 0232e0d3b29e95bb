import assert from 'node:assert/strict';
import { request } from 'node:http';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { freePort } from '../../src/embedded/ports.ts';
import { settingsBeside, startRole } from '../support/role.ts';
import { assertStatus, requester, service } from '../support/service.ts';
import { startProgram } from '../support/process.ts';

describe('METRICS_PORT', function () {
  this.timeout(300_000);

  for (const role of ['api', 'worker'] as const) {
    it(`${role}.ts shows /metrics there alone, on this machine alone`, async () => {
      const port = await freePort();
      const started = await startRole(role, { ...(await settingsBeside(service())), METRICS_PORT: String(port) });
      const [usual, metrics] = [requester(null, started.baseUrl), requester(null, `http://127.0.0.1:${port}`)];
      assert.equal((await usual.get('/metrics')).status, 404);
      assertStatus(await usual.get('/livez'), 200);
      assert.match(
        assertStatus(await metrics.get('/metrics'), 200) && (await metrics.get('/metrics')).text,
        /^process_cpu_seconds_total /m,
      );
      assert.equal((await metrics.get('/livez')).status, 404);
      assert.equal((await metrics.get('/v1/agents')).status, 404);
      const others = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
      for (const { address } of others.filter(({ internal, family }) => !internal && family === 'IPv4')) {
        const call = request({ host: address, port, path: '/metrics' }).end();
        const [error] = (await once(call, 'error')) as [NodeJS.ErrnoException];
        assert.equal(error.code, 'ECONNREFUSED');
      }
      assert.equal(await started.stop(), 0);
    });
  }

  it('names the setting where the port is taken', async () => {
    const { baseUrl } = service();
    const taken = startProgram('src/api.ts', {
      ...(await settingsBeside(service())),
      PORT: '0',
      PUBLIC_BASE_URL: 'http://127.0.0.1:1',
      DRAIN_SECONDS: '0',
      METRICS_PORT: new URL(baseUrl).port,
    });
    assert.equal(await taken.ended, 1);
    assert.match(taken.output(), /Port \d+ is in use; stop what listens there, or set METRICS_PORT to another\./);
  });
});
