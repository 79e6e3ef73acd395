// The live panel: asks the shop once a second what Affkit knows, and shows what is new.
const POLL_MS = 1000;
const STAGES = ['click', 'lead', 'sale'];
const SEEN = 'panel-seen';
/** A click that has not come by then is not on its way. */
const CLICK_MS = 3000;

const panel = document.getElementById('panel');
let shown = '';

/** An element with its attributes and children; texts are set as texts. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** What was shown on the pages before, so that only what came since is marked. */
function takeSeen() {
  const seen = JSON.parse(sessionStorage.getItem(SEEN) ?? 'null');
  return { isNew: (key) => seen !== null && !seen.includes(key) };
}

function titleBar() {
  const startOver = element('button', { type: 'button' }, 'Start over');
  startOver.addEventListener('click', async () => {
    window.affkit?.reset();
    await fetch('/start-over', { method: 'POST' });
    sessionStorage.removeItem(SEEN);
    location.assign('/');
  });
  return element('div', { class: 'panel-title' }, 'What Affkit sees', startOver);
}

function stages(visitor) {
  const reached = visitor ? STAGES.indexOf(visitor.stage) : -1;
  return element(
    'ol',
    { class: 'stages' },
    ...STAGES.map((stage, index) =>
      element(
        'li',
        {
          class: index <= reached ? 'reached' : undefined,
          'aria-current': index === reached ? 'step' : undefined,
        },
        stage,
      ),
    ),
  );
}

function facts(visitor) {
  if (!visitor) return null;
  const rows = [
    ['Partner', visitor.partner],
    ['Click id', element('code', {}, visitor.clickId)],
    ['Key', visitor.customerKey && element('code', {}, visitor.customerKey)],
    ['E-mail', visitor.email],
  ].filter(([, value]) => value);
  return element(
    'dl',
    { class: 'facts' },
    ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}

/** Did this page's link bring a click? Undefined where it is no partner's link, or the visitor is known. */
function clickState({ visitor }) {
  if (visitor !== null || !new URLSearchParams(location.search).get('aff')) return undefined;
  if (performance.now() < CLICK_MS) return 'awaited';
  return window.affkit === undefined ? 'no tracker' : 'missing';
}

/** What to do next, or why the link that was opened has brought no click. */
function hint(state) {
  const click = clickState(state);
  if (click === undefined) return [state.hint];
  if (click === 'awaited') return ['A partner’s link: waiting for the click.'];
  if (click === 'no tracker') {
    return [
      'This is a partner’s link, but the tracker was not loaded, so no click came: does a content blocker stop it?',
    ];
  }
  const address = new URL(location.href);
  address.searchParams.set('affkit_debug', '');
  return [
    'This is a partner’s link, but no click came: its code is unknown, or something stopped the tracker. Open it with ',
    element('a', { href: address.href }, '?affkit_debug'),
    ': the browser’s console then says what the tracker did.',
  ];
}

function eventRow(event, seen) {
  const fresh = seen.isNew(event.key) ? ' fresh' : '';
  return element(
    'li',
    { class: `kind-${event.kind}${fresh}`, 'data-event': event.kind },
    element('strong', {}, event.title),
    element('span', { class: 'amount' }, event.amount ?? ''),
    element('span', { class: 'detail', title: event.detail }, event.detail),
    element('time', { datetime: event.at }, new Date(event.at).toLocaleTimeString()),
  );
}

function partnerKey({ link, balance, brought }) {
  return `${link} ${balance} ${brought}`;
}

function partnerRow(partner, seen) {
  return element(
    'li',
    { class: seen.isNew(partnerKey(partner)) ? 'fresh' : undefined, 'data-partner': partner.name },
    element('strong', {}, partner.name),
    element('span', { class: 'balance' }, partner.balance),
    element('span', { class: 'counts' }, partner.brought),
    element('a', { href: partner.link }, 'Open link'),
  );
}

function show(state) {
  const seen = takeSeen();
  const events = state.events.map((event) => eventRow(event, seen));
  panel.dataset.state = 'live';
  panel.replaceChildren(
    titleBar(),
    element('p', { class: 'hint' }, ...hint(state)),
    element('h2', {}, 'This visitor'),
    stages(state.visitor),
    facts(state.visitor) ?? '',
    element('h2', {}, 'Partners', element('span', {}, 'Balance')),
    element('ul', { class: 'partners' }, ...state.partners.map((partner) => partnerRow(partner, seen))),
    element('h2', {}, 'Events'),
    element(
      'ul',
      { class: 'events' },
      ...(events.length > 0 ? events : [element('li', { class: 'none' }, 'Nothing yet.')]),
    ),
    element(
      'p',
      { class: 'source' },
      'Read once a second from the server’s API: the trace of this visitor, the program’s partners.',
    ),
  );
  const keys = [...state.events.map(({ key }) => key), ...state.partners.map(partnerKey)];
  sessionStorage.setItem(SEEN, JSON.stringify(keys));
}

function showError(text) {
  panel.dataset.state = 'error';
  panel.replaceChildren(titleBar(), element('p', { class: 'hint', role: 'alert' }, text));
}

async function refresh() {
  try {
    const response = await fetch('/panel');
    const text = await response.text();
    const state = JSON.parse(text);
    const current = `${clickState(state)} ${text}`;
    if (current !== shown) {
      shown = current;
      if (response.ok) show(state);
      else showError(state.error);
    }
  } catch {
    shown = '';
    showError('The shop doesn’t answer. Is it still running?');
  }
  setTimeout(refresh, document.hidden ? 5 * POLL_MS : POLL_MS);
}

refresh();
