// Pages are whole without this script. It shows times in the reader's zone, brings open pages up to date, copies, and adds keys.

const zoned = new Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' });

const prepare = (root) => {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf()) || time.title !== '') continue;
    time.title = time.dateTime;
    time.textContent = zoned.format(at);
  }
  for (const code of root.querySelectorAll('[data-copy]')) {
    if (code.nextElementSibling?.matches('button.copy')) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 2_000);
    });
    code.after(button);
  }
};

const menu = document.querySelector('details.menu');
const wide = matchMedia('(width > 60rem)');
const follow = () => menu?.toggleAttribute('open', wide.matches);
wide.addEventListener('change', follow);
follow();
for (const part of document.querySelectorAll('[data-live]')) part.dataset.was = part.innerHTML;
prepare(document);

const isChanged = (field) => {
  if (field.matches('[type="checkbox"], [type="radio"]')) return field.checked !== field.defaultChecked;
  if (!field.matches('select')) return field.value !== field.defaultValue;
  const first = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
  return field.selectedIndex !== Math.max(first, 0);
};
const isTouched = (part) => {
  if (part.contains(document.activeElement)) return true;
  return [...part.querySelectorAll('input, textarea, select')].some(isChanged);
};

// What somebody types into, or has opened, stays as it is: only parts that differ are put in.
const refresh = async () => {
  // Where the service is away for a moment, the next change brings the page up to date.
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(part.id);
    if (next === null || isTouched(part)) continue;
    if (part.dataset.was === next.innerHTML) continue;
    const open = [...part.querySelectorAll('details')].map((details) => details.open);
    part.replaceChildren(...document.importNode(next, true).childNodes);
    for (const [at, details] of [...part.querySelectorAll('details')].entries())
      details.open = open[at] ?? details.open;
    part.dataset.was = next.innerHTML;
    prepare(part);
  }
};

const address = document.body.dataset.stream;
if (address !== undefined) {
  let isRunning = false;
  let isAsked = false;
  // What changes while the page is fetched is fetched once more.
  const update = async () => {
    isAsked = true;
    if (isRunning) return;
    isRunning = true;
    try {
      while (isAsked && !document.hidden) {
        isAsked = false;
        await refresh();
      }
    } finally {
      isRunning = false;
    }
  };
  const stream = new EventSource(address);
  stream.addEventListener('message', update);
  document.addEventListener('visibilitychange', update);
}

// A form is sent once: a second click would send it again. Its key makes a repetition harmless even without this script.
addEventListener('submit', ({ target, submitter }) => {
  if (target.method !== 'post') return;
  setTimeout(() => submitter && (submitter.disabled = true));
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const button of document.querySelectorAll('button:disabled')) button.disabled = false;
});

// `/` goes to the search box, as in other tools; `g` and a letter is not taken, since screen readers use letters.
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select')) return;
  const box = document.querySelector('[data-key="/"]');
  if (box === null) return;
  menu?.setAttribute('open', '');
  box.focus();
  event.preventDefault();
});
