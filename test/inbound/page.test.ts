import assert from 'node:assert/strict';
import { blockOf, blocksOf, paste, PATIENCE_MS } from '../support/pasted.ts';

describe('docs/inbound.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that work when they are pasted, from an endpoint to its revocation', async () => {
    const blocks = await blocksOf('docs/inbound.md', 'inbound');
    assert(blocks.length >= 7, 'the blocks are marked');
    const printed = (await paste(blocks)).join('\n');
    assert.match(printed, /^inw_\w+$/m);
    assert.match(printed, /"duplicate":false,"status":"forwarded","verdict":\{"verdict":"clean"/);
    assert.match(printed, /^{"fits":true,"event_id":"iev_\w+","verdict":"clean","payload":\{.*Friday at ten/m);
    assert.match(
      printed,
      /"duplicate":false,"status":"blocked","verdict":\{"verdict":"malicious"[^\n]*instruction_override/,
    );
    assert.match(printed, /^\s*1$/m, 'the hostile one did not arrive');
    assert.match(printed, /"duplicate":true,"status":"forwarded"/);
    assert.match(printed, /"duplicate":true,"status":"blocked","verdict":\{"verdict":"malicious"/);
    assert.equal(printed.match(/^\s*1$/gm)?.length, 2, 'one event before the duplicates and one after them');
    assert.match(printed, /detector_key: 'instruction_override'/);
    assert.match(printed, /received: 2,[^}]*duplicates: 2,/);
    assert.match(printed, /^{"fits":true,[^\n]*In the library/m, 'signed with the secret of the provider');
    assert.match(
      printed,
      /^revoked, and its answer waits for the forward\n[^\n]*"status":"forwarded"[^\n]*"forwarded":true[^\n]*\n(\n)?revoked\n[^\n]*"code":"ENDPOINT_REVOKED"/m,
    );
  });

  it('has a line that signs and sends a file, and one that enters the secret of a provider, which waits for a person', async () => {
    const [agent, endpoint] = await blocksOf('docs/inbound.md', 'inbound');
    const lines = await paste(
      [
        agent,
        endpoint,
        { code: `cd "$INBOX"; SECRET=$(cat secret)\necho '{"subject": "Here", "text": "From a file."}' > event.json` },
        await blockOf('docs/inbound.md', 'a system of your own'),
        { code: `echo; PROVIDER_SECRET=whsec_$(openssl rand -base64 32)` },
        await blockOf('docs/inbound.md', 'a secret of the provider'),
        { code: `kill "$LISTENER"` },
      ].filter((one) => one !== undefined),
    );
    const [, sent = '', entered = ''] = lines.filter((line) => line !== '');
    assert.match(sent, /"status":"forwarded"/);
    assert.match(entered, /"code":"GOVERNANCE_APPROVAL_REQUIRED"/);
  });
});
