import { BROWSERS, DEVICES, SYSTEMS, type UserAgentRule } from './user-agent-rules.ts';

/** The parts of a user agent. If no device rule matches, `type` is `desktop`. Unknown `os` and `browser` are null. */
export interface ParsedUserAgent {
  readonly type: string;
  readonly os: string | null;
  readonly browser: string | null;
}

/**
 * Determines device, operating system and browser from a user agent. The names are those of ua-parser-js 1.x.
 *
 * The parsing time is proportional to the length of the text. Truncate the text first, because anyone can send any
 * user agent.
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
