/** The content of an email. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The parts of an email, in plain text. */
export interface Letter {
  readonly subject: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  readonly button: { readonly label: string; readonly url: string };
  /** Notes in small print below the link. */
  readonly notes: readonly string[];
}

const MAX_NAME_LENGTH = 100;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const FONT = "font:16px/1.5 -apple-system,'Segoe UI',Roboto,sans-serif";

/** Renders an email as plain text and as HTML. The HTML contains no images and loads no resources. */
export function writeLetter({ subject, greeting, paragraphs, button, notes }: Letter): MailContent {
  const text = [greeting, ...paragraphs, `${button.label}:\n${button.url}`, ...notes].join('\n\n');
  const paragraph = (content: string, style = '') => `<p style="margin:0 0 16px;${style}">${content}</p>`;
  const url = escapeHtml(button.url);
  const link = `<a href="${url}" style="display:inline-block;padding:10px 16px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none">${escapeHtml(button.label)}</a>`;
  const small = 'font-size:13px;color:#57606a';
  const parts = [
    ...[greeting, ...paragraphs].map((content) => paragraph(escapeHtml(content))),
    paragraph(link),
    paragraph(url, `${small};word-break:break-all`),
    ...notes.map((content) => paragraph(escapeHtml(content), small)),
  ];
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;${FONT};color:#1f2328;background:#ffffff">`,
    `<div style="max-width:560px;margin:0 auto">${parts.join('\n')}</div>`,
    '</body></html>',
  ].join('\n');
  return { subject, text: `${text}\n`, html: `${html}\n` };
}

/**
 * Makes a user-supplied name safe for a subject, a sender, or a sentence. The result is one line of at most
 * 100 characters, without control characters or invisible characters.
 */
export function toOneLine(name: string): string {
  const line = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= MAX_NAME_LENGTH
    ? line
    : `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
