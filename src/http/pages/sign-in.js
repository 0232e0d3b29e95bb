// Nothing is sent before a button is pressed: mail scanners open links, and some run scripts.
const codeRequest = document.forms.namedItem('code-request');
const signIn = document.forms.namedItem('sign-in');
const statusLine = document.getElementById('status');
const choice = document.getElementById('choice');
const { email } = codeRequest.elements;
const { code, operator } = signIn.elements;

// The link of the mail brings address and code behind its #, which browsers keep to themselves; it is taken out of the history.
const brought = new URLSearchParams(location.hash.slice(1));
email.value = brought.get('email') ?? '';
code.value = brought.get('code') ?? '';
// Whoever invites somebody names their operator.
const invitedTo = brought.get('operator_id');
history.replaceState(null, '', location.pathname);

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { ok: response.ok, body: await response.json() };
}

function offer(operators) {
  operator.replaceChildren(...operators.map(({ id, name }) => new Option(name, id)));
  choice.hidden = false;
}

codeRequest.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { ok, body } = await post('/v1/dashboard/sessions', { email: email.value });
  statusLine.textContent = ok ? 'If this address is a member’s, a code is on its way to it.' : body.detail;
  if (ok) code.focus();
});

signIn.addEventListener('submit', async (event) => {
  event.preventDefault();
  const named = choice.hidden ? invitedTo : operator.value;
  const chosen = named === null ? {} : { operator_id: named };
  const { ok, body } = await post('/v1/dashboard/sessions/verify', { email: email.value, code: code.value, ...chosen });
  if (ok) location.assign('/dashboard');
  else if (body.code === 'OPERATOR_CHOICE_REQUIRED') offer(body.operators);
  if (!ok) statusLine.textContent = body.detail;
});
