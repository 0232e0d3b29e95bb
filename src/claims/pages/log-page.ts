import { html } from '../../http/pages/html.ts';
import { asCurl } from '../../console/list.ts';
import { consolePage, live } from '../../console/page.ts';
import { copyable, facts, figures } from '../../console/parts.ts';
import { HOME } from '../../console/places.ts';
import { readCheckpoint, readNewestCheckpoint, readVerifierKey } from '../log/routes.ts';
import { knownWitnesses } from '../log/witnesses/witnessed.ts';

/** The lines of a checkpoint (C2SP tlog-checkpoint), and who has signed it. */
function readNote(note: string): { origin: string; size: string; root: string; signers: string[] } {
  const [origin = '', size = '', root = ''] = note.split('\n');
  return { origin, size, root, signers: [...note.matchAll(/^— (\S+) /gmu)].flatMap(([, name]) => name ?? []) };
}

/** The head of the log, who has signed it, and the key to trust. */
export const logPage = consolePage({
  operation: 'logPage',
  path: `${HOME}/log`,
  async show({ visit }) {
    const { body: newest } = await visit.call(readNewestCheckpoint);
    const { body: followed } = await visit.call(readCheckpoint);
    const { body: key } = await visit.call(readVerifierKey);
    const head = readNote(newest);
    const witnesses = knownWitnesses(visit.context.config);
    const signed = readNote(followed).signers.filter((name) => name !== head.origin);
    return {
      title: 'Log',
      live: { ids: [], looks: true },
      body: html`<h1>Log</h1>
<p class="lead">Every claim is an entry of one Merkle log. Anybody can check that it only grows.</p>
${live(
  'log',
  html`${figures('Log', [
    ['Entries', head.size],
    [
      'Witnesses that have signed',
      witnesses.length === 0 ? 'none are known' : `${signed.length} of ${witnesses.length}`,
    ],
  ])}<section class="card"><h2>Newest head</h2>
${facts([
  ['Origin', html`<code>${head.origin}</code>`],
  ['Root', html`<code>${head.root}</code>`],
  ['Signed by', head.signers.join(', ')],
])}${copyable(newest)}</section>
<section class="card"><h2>Head to follow</h2>
<p class="muted">The newest that enough witnesses have signed; without a policy of witnesses the newest of all.</p>
${facts([
  ['Entries', readNote(followed).size],
  ['Witnesses', signed.length === 0 ? 'none' : signed.join(', ')],
])}${copyable(followed)}</section>`,
)}<section class="card"><h2>Key</h2>
<p class="muted">Keep this line somewhere else: who has it verifies claims without asking this service.</p>
${copyable(key.trim())}</section>
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/log/checkpoint` })}`,
    };
  },
});
