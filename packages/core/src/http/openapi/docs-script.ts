/**
 * The script of the documentation page. It provides the search, opens the section in the URL's fragment, and
 * puts the real base URL into the curl commands. The script is inlined, so that the page is a single file. The
 * page can be read without the script.
 */
export const DOCS_SCRIPT = `
const operations = [...document.querySelectorAll('details.operation')];
const menu = document.querySelector('.menu');
const search = document.querySelector('#search');
const count = document.querySelector('#count');
const all = document.querySelector('#all');

menu.open = matchMedia('(min-width: 56.01rem)').matches;
document.querySelector('.tools').hidden = false;

const base = new URL('.', location.href).href.slice(0, -1);
for (const url of document.querySelectorAll('.base')) url.textContent = base;

const texts = new Map(operations.map((operation) => [operation, operation.textContent.toLowerCase()]));
const links = new Map([...menu.querySelectorAll('a')].map((link) => [link.hash.slice(1), link.parentElement]));

function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const operation of operations) {
    const isFound = words.every((word) => texts.get(operation).includes(word));
    operation.hidden = !isFound;
    links.get(operation.id).hidden = !isFound;
    if (isFound) found += 1;
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = !group.querySelector('.operation:not([hidden]), li:not([hidden])');
  }
  document.querySelector('.intro').hidden = words.length > 0;
  count.textContent = words.length === 0 ? '' : found + (found === 1 ? ' route' : ' routes');
}
search.addEventListener('input', filter);
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === search) return;
  event.preventDefault();
  search.focus();
});

all.addEventListener('click', () => {
  const isOpen = all.getAttribute('aria-pressed') !== 'true';
  for (const operation of operations) operation.open = isOpen;
  all.setAttribute('aria-pressed', String(isOpen));
  all.textContent = isOpen ? 'Collapse all' : 'Expand all';
});

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.matches('.operation')) return;
  target.open = true;
  target.scrollIntoView();
}
addEventListener('hashchange', openTarget);
openTarget();

menu.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link) return;
  if (link.hash === location.hash) openTarget();
  if (matchMedia('(max-width: 56rem)').matches) menu.open = false;
});
`;
