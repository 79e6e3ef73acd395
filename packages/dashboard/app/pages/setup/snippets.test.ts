import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SERVER_SNIPPETS } from './server-snippets.ts';
import { isLoopback, programTargetOf, SITE_SNIPPETS } from './snippets.ts';

const ROOT = new URL('../../../../../', import.meta.url);
const DOCS = ['docs/guides/tracker.md', 'docs/guides/stripe.md', 'packages/node/README.md'].map((path) =>
  normalize(readFileSync(new URL(path, ROOT), 'utf8')),
);
const target = programTargetOf('https://track.example.com', '', { id: 7, currency: 'JPY' });

/** Removes differences that do not matter: white space, brackets around an element, and trailing commas. */
function normalize(code: string): string {
  return code
    .replace(/\s+/g, '')
    .replace(/,(?=[})])/g, '')
    .replace(/=>\((<.*?\/>)\);/g, '=>$1;');
}

function codeOf(snippetsOf: (to: typeof target) => readonly { readonly code: string }[]) {
  return snippetsOf(target).map(({ code }) => code);
}

/** Whether the code is in a guide or README. The examples there are tested. */
function isDocumented(code: string): boolean {
  return DOCS.some((text) => text.includes(normalize(code)));
}

describe('the snippets are those of the documentation', () => {
  test('script tag', () => {
    const [tag = ''] = codeOf(SITE_SNIPPETS.script);
    expect(tag).toContain('data-program="7"');
    expect(isDocumented(tag.replace(' data-program="7"', ''))).toBe(true);
  });

  test('module', () => {
    const [, code = ''] = codeOf(SITE_SNIPPETS.module);
    expect(code).toContain('program: 7');
    expect(isDocumented(code.replace('program: 7,', ''))).toBe(true);
  });

  test.each(['react', 'next'] as const)('%s', (name) => {
    const [, code = ''] = codeOf(SITE_SNIPPETS[name]);
    expect(code).toContain('program={7}');
    const component = code.slice(code.indexOf('export')).replace(' program={7}', '');
    expect(isDocumented(component)).toBe(true);
  });

  test('Google Tag Manager', () => {
    const [code = ''] = codeOf(SITE_SNIPPETS.gtm);
    expect(code).toContain("tag.dataset.program = '7';");
    expect(isDocumented(code.replace("tag.dataset.program = '7';", ''))).toBe(true);
  });

  test.each(['wordpress', 'shopify'] as const)('%s adds the script tag', (name) => {
    const [tag = ''] = codeOf(SITE_SNIPPETS.script);
    expect(codeOf(SITE_SNIPPETS[name]).join()).toContain(tag);
  });

  test('Stripe metadata', () => {
    const [code = ''] = codeOf(SERVER_SNIPPETS.stripe);
    expect(code).toContain("program_id: '7'");
    expect(code).toContain('subscription_data: { metadata }');
  });

  test('Node.js', () => {
    const [, , , signUp = ''] = codeOf(SERVER_SNIPPETS.node);
    expect(isDocumented(signUp.slice(signUp.indexOf('await')))).toBe(true);
  });
});

test('the tag contains the base URL of an API that is mounted below a path', () => {
  const [tag = ''] = SITE_SNIPPETS.script(
    programTargetOf('https://shop.example', '/affiliates', { id: 3, currency: 'USD' }),
  );
  expect(tag).toMatchObject({
    code: '<script async src="https://shop.example/js/affkit.js" data-base-url="https://shop.example/affiliates" data-program="3"></script>',
  });
});

test.each([
  ['http://127.0.0.1:8787', true],
  ['http://localhost:8787', true],
  ['http://[::1]:8787', true],
  ['https://track.example.com', false],
  ['http://192.168.1.4', false],
])('%s is reachable from this computer only: %s', (url, expected) => {
  expect(isLoopback(url)).toBe(expected);
});
