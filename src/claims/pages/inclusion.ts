import { html, type Html } from '../../http/pages/html.ts';
import { hashOfPair } from '../log/merkle.ts';

interface Proof {
  log_index: number;
  tree_size: number;
  leaf_hash: string;
  root_hash: string;
  hashes: readonly string[];
}

/** A pair of the tree on the way to its root. */
interface Rung {
  left: string;
  right: string;
  /** Which of both the proof brings; the other one was made by the rung below. */
  sibling: 'left' | 'right';
  parent: string;
}

/** The pairs from the leaf up (RFC 9162 §2.1.3.2). The browser and the offline verifier check them; here they are drawn. */
export function rungsOf({ log_index: index, tree_size: size, leaf_hash: leaf, hashes }: Proof): Rung[] {
  let [place, last, node] = [index, size - 1, leaf];
  return hashes.map((sibling) => {
    const isRight = place % 2 === 1 || place === last;
    const [left, right] = isRight ? [sibling, node] : [node, sibling];
    if (isRight) while (place % 2 === 0 && place > 0) [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
    node = hashOfPair(Buffer.from(left, 'hex'), Buffer.from(right, 'hex')).toString('hex');
    return { left, right, sibling: isRight ? 'left' : 'right', parent: node };
  });
}

const STEP = 56;
const WIDTH = 640;
const short = (hash: string): string => `${hash.slice(0, 8)}…`;

/** The way of a leaf to the root, drawn from the root down; the hashes in full stand below it. */
export function inclusionDrawn(proof: Proof): Html {
  const rungs = rungsOf(proof).toReversed();
  const height = (rungs.length + 1) * STEP;
  const box = (hash: string, { x, y, tone }: { x: number; y: number; tone: string }): Html =>
    html`<g class="${tone}"><rect x="${x - 70}" y="${y}" width="140" height="28" rx="6"/><text x="${x}" y="${y + 19}">${short(hash)}</text></g>`;
  const middle = WIDTH / 2;
  const drawn = rungs.map(({ left, right, sibling }, at) => {
    const y = (at + 1) * STEP;
    const other = sibling === 'left' ? middle - 200 : middle + 200;
    return html`<line class="axis" x1="${middle}" y1="${y}" x2="${middle}" y2="${y - STEP + 28}"/><line class="axis" x1="${other}" y1="${y}" x2="${middle}" y2="${y - STEP + 28}"/>${box(sibling === 'left' ? right : left, { x: middle, y, tone: at === rungs.length - 1 ? 'leaf' : 'made' })}${box(sibling === 'left' ? left : right, { x: other, y, tone: 'given' })}`;
  });
  return html`<figure class="chart proof">
<figcaption>From entry ${proof.log_index} to the root of ${proof.tree_size} entries</figcaption>
<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="The way of the claim to the root of the log; the hashes are below">
${box(proof.root_hash, { x: middle, y: 0, tone: rungs.length === 0 ? 'leaf' : 'root' })}${drawn}
</svg>
<details><summary>The hashes</summary>
<ol>
<li>Leaf <code>${proof.leaf_hash}</code></li>
${rungs.toReversed().map(({ left, right, sibling, parent }) => html`<li>with <code>${sibling === 'left' ? left : right}</code> on the ${sibling} makes <code>${parent}</code></li>\n`)}<li>Root <code>${proof.root_hash}</code></li>
</ol></details>
</figure>
`;
}
