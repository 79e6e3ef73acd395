// The live panel: polls the shop every second for Affkit's data and highlights changes.
const POLL_MS = 1000;
const STAGES = ['click', 'lead', 'sale', 'refund'];
const SEEN = 'panel-seen';
/** A click that is not recorded within this time is considered lost. */
const CLICK_MS = 3000;
/** The outcome of a second call of `trackClick`, or the promise of this outcome. */
let secondOutcome;

const panel = document.getElementById('panel');
let shown = '';

/** Creates an element. String children become text nodes, so they need no escaping. */
function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) created.setAttribute(key, value);
  }
  created.append(...children.filter((child) => child !== null));
  return created;
}

/**
 * Reads the keys of the entries that the panel showed last, on this page or an earlier one, so that only new entries
 * are highlighted.
 */
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
    ['Click ID', element('code', {}, visitor.clickId)],
    ['Customer key', visitor.customerKey && element('code', {}, visitor.customerKey)],
    ['Email', visitor.email],
  ].filter(([, value]) => value);
  return element(
    'dl',
    { class: 'facts' },
    ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}

/**
 * Why Affkit does not know the visitor of this partner's link. Undefined if Affkit knows the visitor, or if the page
 * was not opened through a partner's link.
 */
function clickState({ visitor }) {
  if (visitor !== null || !new URLSearchParams(location.search).get('aff')) return undefined;
  if (performance.now() < CLICK_MS) return 'awaited';
  if (window.affkit === undefined) return 'no tracker';
  // The tracker has already handled this landing. Call `trackClick` again to learn whether the tracker considers the
  // visitor a robot. If so, the reason is `robot`. Otherwise, it is another reason, such as `duplicate`.
  secondOutcome ??= window.affkit.trackClick().then((outcome) => {
    secondOutcome = outcome;
  });
  return secondOutcome.reason === 'robot' ? 'robot' : 'missing';
}

/** The next step, or why the opened link recorded no click. */
function hint(state) {
  const click = clickState(state);
  if (click === undefined) return [state.hint];
  if (click === 'awaited') return ['You opened a partner’s link: waiting for the click.'];
  if (click === 'no tracker') {
    return [
      'You opened a partner’s link, but the tracker was not loaded, so no click was recorded. Is a content blocker active?',
    ];
  }
  if (click === 'robot') {
    return [
      'You opened a partner’s link, but this browser is remote-controlled or calls itself a bot, and the tracker records no clicks of bots.',
    ];
  }
  const address = new URL(location.href);
  address.searchParams.set('affkit_debug', '');
  return [
    'You opened a partner’s link, but no click was recorded: the link’s code is unknown, or the tracker was blocked. Open the link with ',
    element('a', { href: address.href }, '?affkit_debug'),
    ' to see in the browser console what the tracker did.',
  ];
}

function eventRow(event, seen) {
  const fresh = seen.isNew(event.key) ? ' fresh' : '';
  return element(
    'li',
    { class: `kind-${event.kind}${event.isReversed ? ' reversed' : ''}${fresh}`, 'data-event': event.kind },
    element('strong', {}, event.title),
    element('span', { class: 'amount' }, event.amount ?? ''),
    element('span', { class: 'detail', title: event.detail }, event.detail),
    element('time', { datetime: event.at }, new Date(event.at).toLocaleTimeString()),
  );
}

function partnerKey({ link, balance, counts }) {
  return `${link} ${balance} ${counts}`;
}

function partnerRow(partner, seen) {
  return element(
    'li',
    { class: seen.isNew(partnerKey(partner)) ? 'fresh' : undefined, 'data-partner': partner.name },
    element('strong', {}, partner.name),
    element('span', { class: 'balance' }, partner.balance),
    element('span', { class: 'counts' }, partner.counts),
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
      'Updated every second from the API: the trace of this visitor and the partners of the program.',
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
    showError('The shop is not responding. Is it still running?');
  }
  setTimeout(refresh, document.hidden ? 5 * POLL_MS : POLL_MS);
}

refresh();
