import { createHash } from 'node:crypto';

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g;

/**
 * Adds a Content Security Policy to a page, because a static host sets no header. The page may load only files of its
 * own site. Inline scripts are allowed by their hashes. Syntax highlighting needs inline styles.
 */
export function addContentPolicy(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html.replace(
    /<meta charset="utf-8">/i,
    (meta) => `${meta}<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}
