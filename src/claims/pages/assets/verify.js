// Verifies a claim in the browser, with the published formats alone: RFC 8785, RFC 9162, C2SP signed-note. It trusts nothing that the page says
// but the key of the log, which it fetches; who keeps that key from elsewhere uses the offline verifier.

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const utf8 = new TextEncoder();

const sha256 = async (...parts) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer()));
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);

const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1));
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
};

const must = (holds, fault) => {
  if (!holds) throw new Error(fault);
};

const odd = (value) => value % 2 === 1;
const half = (value) => Math.floor(value / 2);

const rootOf = async (leaf, { index, size, path }) => {
  must(index < size, `a tree of ${size} has no entry ${index}`);
  let [place, last, root] = [index, size - 1, leaf];
  for (const hash of path) {
    must(last > 0, 'the proof is too long for its tree');
    if (odd(place) || place === last) {
      root = await nodeHash(hash, root);
      while (!odd(place) && place > 0) [place, last] = [half(place), half(last)];
    } else root = await nodeHash(root, hash);
    [place, last] = [half(place), half(last)];
  }
  must(last === 0, 'the proof is too short for its tree');
  return hexOf(root);
};

const checkpointOf = (note) => {
  const end = note.lastIndexOf('\n\n');
  must(end > 0, 'the checkpoint has no signatures');
  const text = note.slice(0, end + 1);
  const [origin, size, root] = text.split('\n');
  const lines = note
    .slice(end + 2)
    .split('\n')
    .filter((line) => line !== '');
  return { text, origin, size: Number(size), root: hexOf(fromBase64(root)), lines };
};

/** `name+id+base64`, as the log shows it; the first byte of the key names its algorithm, 1 for Ed25519. */
const keyOf = async (vkey) => {
  const [name, id, ...encoded] = vkey.trim().split('+');
  const [algorithm, ...raw] = fromBase64(encoded.join('+'));
  must(algorithm === 1 && raw.length === 32, 'the key of the log is no Ed25519 key');
  return { name, id, key: await crypto.subtle.importKey('raw', Uint8Array.from(raw), 'Ed25519', false, ['verify']) };
};

const isSigned = async ({ text, origin, lines }, { name, id, key }) => {
  must(origin === name, `the checkpoint is of ${origin}, and the key of ${name}`);
  for (const line of lines) {
    const [, signer, encoded] = /^— (\S+) (\S+)$/u.exec(line) ?? [];
    if (signer !== name) continue;
    const bytes = fromBase64(encoded);
    if (hexOf(bytes.slice(0, 4)) === id)
      return await crypto.subtle.verify('Ed25519', key, bytes.slice(4), utf8.encode(text));
  }
  return false;
};

const read = async (path, as) => {
  const answer = await fetch(path);
  must(answer.ok, `${path} answered ${answer.status}`);
  return await answer[as]();
};

async function verify(claimId, tell) {
  const [bundle, vkey] = await Promise.all([
    read(`/v1/claims/${encodeURIComponent(claimId)}/bundle`, 'json'),
    read('/log/vkey', 'text'),
  ]);
  must(bundle.bundle_version === 1, 'this page knows bundles of version 1 alone');
  must(bundle.latest, 'the claim waits for its place in the log; try again in a second');
  const { receipt: _receipt, co_signatures: _signatures, ...signed } = bundle.envelope;
  const entry = utf8.encode(canonical(signed));
  let leaf;
  if (bundle.erased) {
    leaf = bytesOf(bundle.leaf_hash);
    tell('The payload was erased, so what it stated cannot be checked.');
  } else {
    const digest = `sha256:${hexOf(await sha256(entry))}`;
    must(digest === bundle.digest, `the statement has the digest ${digest}, and not ${bundle.digest}`);
    tell(`The statement has the digest ${digest}.`);
    leaf = await sha256(Uint8Array.of(0), entry);
  }
  const checkpoint = checkpointOf(bundle.latest.checkpoint);
  const index = bundle.receipt.proof.log_index;
  const root = await rootOf(leaf, { index, size: checkpoint.size, path: bundle.latest.inclusion.map(bytesOf) });
  must(root === checkpoint.root, `the proof leads to the root ${root}, and the log has signed ${checkpoint.root}`);
  tell(
    `${bundle.latest.inclusion.length} hashes lead from entry ${index} to the root ${root} of ${checkpoint.size} entries.`,
  );
  must(await isSigned(checkpoint, await keyOf(vkey)), 'the signature of the checkpoint is not of the key of the log');
  tell(`The key of ${checkpoint.origin} has signed this root.`);
}

const button = document.querySelector('[data-verify]');
if (button !== null) {
  button.hidden = false;
  const list = document.querySelector('#verified');
  const tell = (text, tone) => {
    const line = document.createElement('li');
    line.textContent = text;
    if (tone !== undefined) line.className = tone;
    list.append(line);
  };
  button.addEventListener('click', async () => {
    list.replaceChildren();
    button.disabled = true;
    try {
      await verify(button.dataset.verify, (text) => tell(text));
      tell('Verified in this browser.', 'verified');
    } catch (error) {
      tell(`NOT VERIFIED: ${error.message}.`, 'fault');
    }
    button.disabled = false;
  });
}
