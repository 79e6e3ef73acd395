import { readFileSync } from 'node:fs';
import { MAX_USER_AGENT_LENGTH } from '@affkit/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUserAgent } from './user-agent.ts';
import { BROWSERS, DEVICES, SYSTEMS } from './user-agent-rules.ts';

/**
 * User agents with the device, system and browser that ua-parser-js 1.0.41 returns. The user agents are from
 * the npm package `user-agents` 2.1 and from the tests of ua-parser-js.
 */
const CORPUS = readFileSync(new URL('../../test/support/user-agents.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((row) => {
    const [type = '', os = '', browser = '', userAgent = ''] = row.split('\t');
    return { userAgent, expected: { type, os: nameOf(os), browser: nameOf(browser) } };
  });

function nameOf(cell: string): string | null {
  return cell === '-' ? null : cell;
}

test('names devices, systems and browsers as ua-parser-js does', () => {
  const parsed = CORPUS.map(({ userAgent }) => ({
    userAgent,
    expected: parseUserAgent(userAgent.slice(0, MAX_USER_AGENT_LENGTH)),
  }));
  expect(parsed.length).toBeGreaterThan(600);
  expect(parsed).toEqual(CORPUS);
});

test('returns only names from the rules, whatever the user agent contains', () => {
  const namesOf = (rules: readonly (readonly [string, ...unknown[]])[]) => rules.map(([name]) => name);
  const tokens = CORPUS.flatMap(({ userAgent }) => userAgent.split(' '));
  const userAgents = fc
    .array(fc.oneof(fc.constantFrom(...tokens), fc.string()))
    .map((parts) => parts.join(' '));
  fc.assert(
    fc.property(userAgents, (userAgent) => {
      const { type, os, browser } = parseUserAgent(userAgent);
      expect(['desktop', ...namesOf(DEVICES)]).toContain(type);
      expect([null, ...namesOf(SYSTEMS)]).toContain(os);
      expect([null, ...namesOf(BROWSERS)]).toContain(browser);
    }),
  );
});

test('returns the type desktop, without system and browser, for an empty user agent', () => {
  expect(parseUserAgent('')).toEqual({ type: 'desktop', os: null, browser: null });
});
