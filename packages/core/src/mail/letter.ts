import { accentShade } from '../domain/accent-color.ts';

/** The content of an email. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * The parts of an email, in plain text. Pass text from users through `toOneLine` first, except in `quote`.
 */
export interface Letter {
  readonly subject: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** Text that a user wrote. It may contain line breaks. */
  readonly quote?: string | null;
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly button?: { readonly label: string; readonly url: string };
  /** Notes in small print below the button and its URL. */
  readonly notes: readonly string[];
}

/** The parts around the content of an email. */
export interface LetterFrame {
  /** The name above the content, or null for none. */
  readonly brand: string | null;
  /** The color as `#rrggbb`, or null for the default color. */
  readonly accentColor: string | null;
  /** The link that turns off emails like this one, or null if they cannot be turned off. */
  readonly unsubscribe: UnsubscribeLink | null;
}

/** A link that turns emails off. */
export interface UnsubscribeLink {
  readonly text: string;
  readonly url: string;
}

const PLAIN_FRAME: LetterFrame = { brand: null, accentColor: null, unsubscribe: null };

const MAX_NAME_LENGTH = 100;
const MAX_SUBJECT_LENGTH = 250;
const DEFAULT_ACCENT_COLOR = '#1d4ed8';
const PAGE_COLOR = '#ffffff';
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const FONT = "font:16px/1.5 -apple-system,'Segoe UI',Roboto,sans-serif";
const SMALL = 'font-size:13px;color:#57606a';

/** Renders an email as plain text and as HTML. The HTML contains no images and loads no resources. */
export function writeLetter(letter: Letter, frame: LetterFrame = PLAIN_FRAME): MailContent {
  return {
    subject: toOneLine(letter.subject, MAX_SUBJECT_LENGTH),
    text: `${writeText(letter, frame)}\n`,
    html: `${writeHtml(letter, frame)}\n`,
  };
}

function writeText(letter: Letter, { unsubscribe }: LetterFrame): string {
  const { greeting, paragraphs, quote = null, facts = [], button, notes } = letter;
  return [
    greeting,
    ...paragraphs,
    ...(quote === null
      ? []
      : [
          linesOf(quote)
            .map((line) => `> ${line}`)
            .join('\n'),
        ]),
    ...(facts.length === 0 ? [] : [facts.map(([name, value]) => `${name}: ${value}`).join('\n')]),
    ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]),
    ...notes,
    ...(unsubscribe === null ? [] : [`${unsubscribe.text}\n${unsubscribe.url}`]),
  ].join('\n\n');
}

function writeHtml(letter: Letter, { brand, accentColor, unsubscribe }: LetterFrame): string {
  const { subject, greeting, paragraphs, quote = null, facts = [], button, notes } = letter;
  const { fill, text } = accentShade(accentColor ?? DEFAULT_ACCENT_COLOR, PAGE_COLOR);
  const parts = [
    ...(brand === null
      ? []
      : [
          `<p style="margin:0 0 24px;padding:0 0 12px;border-bottom:3px solid ${fill};font-weight:600">${escapeHtml(brand)}</p>`,
        ]),
    ...[greeting, ...paragraphs].map((content) => paragraph(escapeHtml(content))),
    ...(quote === null
      ? []
      : [
          `<blockquote style="margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid #d0d7de">${linesOf(quote).map(escapeHtml).join('<br>')}</blockquote>`,
        ]),
    ...(facts.length === 0 ? [] : [writeFacts(facts)]),
    ...(button === undefined
      ? []
      : [
          paragraph(
            `<a href="${escapeHtml(button.url)}" style="display:inline-block;padding:10px 16px;border-radius:8px;background:${fill};color:${text};text-decoration:none">${escapeHtml(button.label)}</a>`,
          ),
          paragraph(escapeHtml(button.url), `${SMALL};word-break:break-all`),
        ]),
    ...notes.map((content) => paragraph(escapeHtml(content), SMALL)),
    ...(unsubscribe === null
      ? []
      : [
          paragraph(
            `<a href="${escapeHtml(unsubscribe.url)}" style="color:#57606a">${escapeHtml(unsubscribe.text)}</a>`,
            SMALL,
          ),
        ]),
  ];
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(toOneLine(subject, MAX_SUBJECT_LENGTH))}</title></head>`,
    `<body style="margin:0;padding:24px;${FONT};color:#1f2328;background:${PAGE_COLOR}">`,
    `<div style="max-width:560px;margin:0 auto;overflow-wrap:anywhere">${parts.join('\n')}</div>`,
    '</body></html>',
  ].join('\n');
}

function paragraph(content: string, style = ''): string {
  return `<p style="margin:0 0 16px;${style}">${content}</p>`;
}

function writeFacts(facts: NonNullable<Letter['facts']>): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#57606a">${escapeHtml(name)}</td><td style="padding:2px 0;font-weight:600">${escapeHtml(value)}</td></tr>`,
  );
  return `<table role="presentation" style="margin:0 0 16px;border-collapse:collapse;font-size:16px">${rows.join('')}</table>`;
}

/** The lines of a text that a user wrote, without control characters and invisible characters. */
function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => toOneLine(line, Number.POSITIVE_INFINITY));
}

/**
 * Makes a user-supplied name safe for a subject, a sender, or a sentence. The result is one line without
 * control characters or invisible characters.
 * @param maxLength in characters
 */
export function toOneLine(name: string, maxLength: number = MAX_NAME_LENGTH): string {
  const line = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
