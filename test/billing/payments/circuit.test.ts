import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Circuit } from '../../../src/billing/payments/circuit.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';

describe('Circuit', () => {
  let now = 0;
  let circuit: Circuit;
  beforeEach(() => {
    now = 0;
    circuit = new Circuit(pino({ level: 'silent' }), 10_000, () => now);
  });

  const refused = (seconds: number) => (error: unknown) =>
    error instanceof CarnetError &&
    error.code === 'TEMPORARILY_UNAVAILABLE' &&
    error.headers['Retry-After'] === String(seconds);

  it('lets all calls through while only one operator gets no answer', () => {
    for (let time = 0; time < 10; time += 1) {
      circuit.enter();
      circuit.unanswered('ada');
    }
    circuit.enter();
  });

  it('refuses calls for a pause once a second operator gets none, and says how long', () => {
    circuit.unanswered('ada');
    circuit.unanswered('ben');
    assert.throws(() => circuit.assertClosed(), refused(5));
    now = 4_001;
    assert.throws(() => circuit.enter(), refused(1));
  });

  it('has one call find out after the pause, and refuses the others meanwhile', () => {
    circuit.unanswered('ada');
    circuit.unanswered('ben');
    now = 5_000;
    circuit.enter();
    assert.throws(() => circuit.enter(), refused(10));
    circuit.unanswered('ada');
    assert.throws(() => circuit.enter(), refused(5));
    now = 10_000;
    circuit.enter();
    circuit.answered();
    circuit.enter();
    circuit.enter();
  });

  it('forgets who got none when an answer comes', () => {
    circuit.unanswered('ada');
    circuit.answered();
    circuit.unanswered('ben');
    circuit.enter();
  });
});
