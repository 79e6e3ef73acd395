import { BROWSERS, DEVICES, SYSTEMS, type UserAgentRule } from './user-agent-rules.ts';

/** The data in a user agent. Without a matching rule, the type is `desktop` and a name is null. */
export interface ParsedUserAgent {
  readonly type: string;
  /** The operating system's name. */
  readonly os: string | null;
  /** The browser's name. */
  readonly browser: string | null;
}

/**
 * Derives device, operating system and browser from a user agent, with the names of ua-parser-js 1.x.
 *
 * Anyone can send any user agent. The time is proportional to its length, so truncate it first.
 */
export function parseUserAgent(userAgent: string): ParsedUserAgent {
  const text = userAgent.toLowerCase();
  return {
    type: firstMatch(DEVICES, text) ?? 'desktop',
    os: firstMatch(SYSTEMS, text),
    browser: firstMatch(BROWSERS, text),
  };
}

function firstMatch(rules: readonly UserAgentRule[], text: string): string | null {
  const rule = rules.find(([, ...expressions]) => expressions.every((expression) => expression.test(text)));
  return rule?.[0] ?? null;
}
