import type { Mutation } from './mutation.ts';

const scriptUses = ['linker', 'passes the click when a script uses it: %s'] as const;
const elementUses = ['linker', 'passes the click: %s'] as const;

/** Mutations of the linker's events and of its tag. */
export const linker: readonly Mutation[] = [
  {
    requirement: 12,
    removes: 'forms whose fields hide their properties',
    file: 'src/watch-links.ts',
    find: 'passClick(target.getAttribute(name))',
    replace: 'passClick(String(Reflect.get(target, name)))',
    detectedBy: elementUses,
  },
  {
    requirement: 12,
    removes: 'buttons with their own action',
    file: 'src/watch-links.ts',
    find: ", 'formaction'];",
    replace: '];',
    detectedBy: elementUses,
  },
  {
    requirement: 12,
    removes: 'old SVG links',
    file: 'src/watch-links.ts',
    find: "'xlink:href', ",
    replace: '',
    detectedBy: elementUses,
  },
  {
    requirement: 12,
    removes: 'relative links below a foreign base',
    file: 'src/watch-links.ts',
    find: "new URL(url, documentProperty('baseURI'))",
    replace: 'new URL(url, location.href)',
    detectedBy: elementUses,
  },
  {
    requirement: 12,
    removes: 'images in links unchanged',
    file: 'src/watch-links.ts',
    find: 'target instanceof Element && target.matches(USED)',
    replace: 'target instanceof Element && USED',
    detectedBy: ['linker', 'leaves fields and images of other hosts unchanged'],
  },
  {
    requirement: 12,
    removes: 'forms that a script submits with `requestSubmit()`',
    file: 'src/watch-links.ts',
    find: " submit'",
    replace: "'",
    detectedBy: scriptUses,
  },
  {
    requirement: 12,
    removes: 'links outside the document',
    file: 'src/watch-links.ts',
    find: "  attempt(() => decorateBefore(HTMLAnchorElement.prototype, 'click'));\n",
    replace: '',
    detectedBy: scriptUses,
  },
  {
    requirement: 12,
    removes: 'forms that a script submits with `submit()`',
    file: 'src/watch-links.ts',
    find: "  attempt(() => decorateBefore(HTMLFormElement.prototype, 'submit'));\n",
    replace: '',
    detectedBy: scriptUses,
  },
  {
    requirement: 18,
    removes: 'the name of a missing linker',
    file: 'src/tracker.ts',
    find: " || debugLog('add', 'affkit-linker.js')",
    replace: '',
    detectedBy: ['linker', 'is named in the debugging output if its tag is missing'],
  },
  {
    requirement: 16,
    removes: 'the tag of the linker is not mistaken for the tag of the script',
    file: 'src/script-tag.ts',
    find: ':not([src*=-linker])',
    replace: '',
    detectedBy: ['linker', 'works with its tag %s'],
  },
  {
    requirement: 19,
    removes: 'the module contains the linker',
    file: 'src/create-tracker.ts',
    find: 'if (options.linker) watchLinks();',
    replace: 'void watchLinks;',
    detectedBy: ['module', 'passes the click to linked sites without loading another file'],
  },
];
