import type { Captcha } from '../../captcha/captcha.ts';
import type { Question } from '../../domain/application.ts';
import { describeCommission } from '../../domain/commission-text.ts';
import type { PublishedProgram } from '../../storage/programs/program-pages.ts';
import { type Html, html } from '../html.ts';
import type { HttpRequest } from '../message.ts';
import { PAGE_TEXTS } from './page-texts.ts';
import { answerField, type FormFields } from './read-form.ts';

/** The maximum length of the description. Search engines and link previews show even fewer characters. */
const MAX_DESCRIPTION_LENGTH = 300;

/** The state of the form: its values, and the error of the previous attempt, if any. */
export interface FormView {
  readonly token: string;
  readonly fields: FormFields;
  /** Why the previous attempt was rejected, or null for a new form. */
  readonly fault: string | null;
}

/** Renders the public description of a program and the application form. */
export function renderProgram(published: PublishedProgram, form: FormView, captcha: Captcha | null): Html {
  const { program, page, terms } = published;
  return html`${logoOf(published)}
<h1>${PAGE_TEXTS.title(program.name)}</h1>
<p class="offer">${describeCommission(terms, program)}</p>
${paragraphsOf(page.description)}
<dl class="facts">
<div><dt>${PAGE_TEXTS.cookieWindow}</dt><dd>${PAGE_TEXTS.days(program.cookieWindowDays)}</dd></div>
${program.holdDays === 0 ? null : html`<div><dt>${PAGE_TEXTS.hold}</dt><dd>${PAGE_TEXTS.days(program.holdDays)}</dd></div>`}
<div><dt>${PAGE_TEXTS.site}</dt><dd><a href="${program.siteUrl}" target="_blank" rel="noopener nofollow">${new URL(program.siteUrl).host}</a></dd></div>
</dl>
${page.terms === null ? null : html`<h2 id="terms">${PAGE_TEXTS.terms}</h2><div class="terms" tabindex="0" role="region" aria-labelledby="terms">${paragraphsOf(page.terms)}</div>`}
<h2>${PAGE_TEXTS.apply}</h2>
${renderForm(published, form, captcha)}`;
}

/** Renders the page for an accepted application. */
export function renderReceived(published: PublishedProgram): Html {
  return html`${logoOf(published)}<h1>${PAGE_TEXTS.received}</h1><p role="status">${PAGE_TEXTS.receivedText(published.program.name)}</p>`;
}

/** Renders the page for an unknown slug. */
export function renderNotFound(): Html {
  return html`<h1>${PAGE_TEXTS.notFound}</h1><p>${PAGE_TEXTS.notFoundText}</p>`;
}

/** Whether the client is a browser. Browsers get an error as a page, other clients get JSON. */
export function acceptsHtml(request: HttpRequest): boolean {
  return request.header('accept')?.includes('text/html') === true;
}

/**
 * Describes the program for search results and link previews. The text says what a partner earns, followed by
 * the first paragraph of the program's own description.
 */
export function describeProgram({ program, page, terms }: PublishedProgram): string {
  const [first = ''] = (page.description ?? '').trim().split(/\n\s*\n/);
  const text = `${describeCommission(terms, program)} ${first.replaceAll(/\s+/g, ' ')}`.trim();
  const characters = [...text];
  return characters.length <= MAX_DESCRIPTION_LENGTH
    ? text
    : `${characters.slice(0, MAX_DESCRIPTION_LENGTH - 1).join('')}…`;
}

/**
 * Renders a complete HTML document.
 * @param style the whole style sheet; must not contain text from users
 * @param description a summary for search results and previews of links. Null for a page that needs none
 */
export function renderDocument(
  title: string,
  style: Html,
  body: Html,
  description: string | null = null,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${description === null ? null : metaTags(title, description)}
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

function metaTags(title: string, description: string): Html {
  return html`
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">`;
}

function logoOf({ program, page }: PublishedProgram): Html | null {
  return page.logo === null ? null : html`<img class="logo" src="${page.logo}" alt="${program.name}">`;
}

/** Renders text as paragraphs. An empty line in the text separates two paragraphs. */
function paragraphsOf(text: string | null): Html[] {
  if (text === null) return [];
  return text
    .split(/\n\n+/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map(
      (paragraph) =>
        html`<p>${paragraph.split('\n').map((line, at) => (at === 0 ? line : html`<br>${line}`))}</p>`,
    );
}

/** The form has no `action`, so the browser submits it to the URL of the page. */
function renderForm(
  { page }: PublishedProgram,
  { token, fields, fault }: FormView,
  captcha: Captcha | null,
): Html {
  const givenOf = (name: string) => fields.get(name) ?? '';
  return html`<form method="post">
${fault === null ? null : html`<div class="fault" role="alert" tabindex="-1" autofocus><strong>${PAGE_TEXTS.notSent}</strong> ${fault}</div>`}
<input type="hidden" name="form_token" value="${token}">
<div class="field"><label for="name">${PAGE_TEXTS.name}</label><input id="name" name="name" required maxlength="255" autocomplete="name" value="${givenOf('name')}"></div>
<div class="field"><label for="email">${PAGE_TEXTS.email}</label><input id="email" name="email" type="email" required maxlength="255" autocomplete="email" value="${givenOf('email')}"></div>
<div class="away" aria-hidden="true"><label for="homepage">${PAGE_TEXTS.emptyField}</label><input id="homepage" name="homepage" tabindex="-1" autocomplete="off"></div>
${page.questions.map((question) => renderQuestion(question, givenOf(answerField(question.id))))}
${page.invitationCodes.length === 0 ? null : html`<div class="field">${labelOf('invitation_code', PAGE_TEXTS.invitationCode, false)}<input id="invitation_code" name="invitation_code" maxlength="64" autocomplete="off" value="${givenOf('invitation_code')}"></div>`}
${page.terms === null ? null : checkboxOf('terms_accepted', PAGE_TEXTS.acceptTerms, true, givenOf('terms_accepted'))}
${captcha && renderCaptcha(captcha)}
<button>${PAGE_TEXTS.apply}</button>
</form>`;
}

/** The captcha's script replaces the element with the widget. The widget adds its token to the form. */
function renderCaptcha({ widgetClass, siteKey, scriptUrl }: Captcha): Html {
  return html`<div class="field ${widgetClass}" data-sitekey="${siteKey}"></div>
<noscript><p class="fault">${PAGE_TEXTS.captchaNeedsScripts}</p></noscript>
<script src="${scriptUrl}" async defer></script>`;
}

function renderQuestion({ id, label, type, required, options = [] }: Question, value: string): Html {
  const field = answerField(id);
  if (type === 'checkbox') return checkboxOf(field, label, required, value);
  return html`<div class="field">${labelOf(field, label, required)}${controlOf()}</div>`;

  function controlOf(): Html {
    const isRequired = required ? html` required` : null;
    switch (type) {
      case 'long_text':
        return html`<textarea id="${field}" name="${field}" maxlength="2000"${isRequired}>
${value}</textarea>`;
      case 'choice':
        return html`<select id="${field}" name="${field}"${isRequired}><option value="">${PAGE_TEXTS.choose}</option>${options.map(
          (option) =>
            html`<option value="${option}"${option === value ? html` selected` : null}>${option}</option>`,
        )}</select>`;
      case 'url':
        return html`<input id="${field}" name="${field}" type="url" maxlength="2000" placeholder="https://" value="${value}"${isRequired}>`;
      case 'number':
        return html`<input id="${field}" name="${field}" inputmode="decimal" maxlength="24" value="${value}"${isRequired}>`;
      default:
        return html`<input id="${field}" name="${field}" maxlength="255" value="${value}"${isRequired}>`;
    }
  }
}

function labelOf(field: string, label: string, required: boolean): Html {
  return html`<label for="${field}">${label}${required ? null : html` <small>(${PAGE_TEXTS.optional})</small>`}</label>`;
}

function checkboxOf(field: string, label: string, required: boolean, value: string): Html {
  return html`<div class="field check"><input id="${field}" name="${field}" type="checkbox" value="yes"${required ? html` required` : null}${value === 'yes' ? html` checked` : null}>${labelOf(field, label, required)}</div>`;
}
