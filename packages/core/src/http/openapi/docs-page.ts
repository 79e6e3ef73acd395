import { escapeHtml } from '../html.ts';
import { curlOf } from './docs-curl.ts';
import { DOCS_SCRIPT } from './docs-script.ts';
import { DOCS_STYLE } from './docs-style.ts';
import type { JsonSchema, MediaType, OpenApiDocument, Operation, Parameter } from './document.ts';
import { type DocumentedField, listSchemaFields, schemaTypeOf } from './schema-fields.ts';

const CREDENTIAL_TEXTS: Readonly<Record<string, string>> = {
  trackingToken: 'tracking token (<code>aff_…</code>)',
  managementKey: 'management key (<code>affk_…</code>)',
  session: 'session',
  bareSession: 'session without <code>Bearer</code>',
};

interface DocumentedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** Renders the document as a single HTML page without external files. */
export function renderDocs(document: OpenApiDocument): string {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]): DocumentedOperation => ({ path, method, operation }),
    ),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const { title, summary, description } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(String(title))} API</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<div class="page">
<nav aria-label="Routes">
<div class="tools" hidden>
<input id="search" type="search" placeholder="Search routes and fields (/)" aria-label="Search routes and fields">
<button id="all" type="button" aria-pressed="false">Expand all</button>
<span id="count" role="status"></span>
</div>
<details class="menu"><summary>Routes</summary>
${groups.map(({ name, entries: tagEntries }) => renderMenu(name, tagEntries)).join('')}
</details>
</nav>
<main>
<div class="intro">
<h1>${escapeHtml(String(title))} API</h1>
<p>${renderProse(String(summary))}</p>
${renderParagraphs(String(description))}
<p>Also available as <a href="api/openapi.json">OpenAPI 3.1</a>.</p>
${renderCredentials(document)}
</div>
${groups
  .map(
    ({ name, description: text, entries: tagEntries }) =>
      `<div class="group"><h2>${escapeHtml(name)}</h2><p class="soft">${renderProse(text)}</p>${tagEntries
        .map((entry) => renderOperation(entry, document))
        .join('')}</div>`,
  )
  .join('\n')}
</main>
</div>
<script>${DOCS_SCRIPT}</script>
</body>
</html>
`;
}

function renderMenu(name: string, entries: readonly DocumentedOperation[]): string {
  const menuItems = entries.map(
    ({ operation }) => `<li><a href="#${operation.operationId}">${renderProse(operation.summary)}</a></li>`,
  );
  return `<div class="group"><h2>${escapeHtml(name)}</h2><ul>${menuItems.join('')}</ul></div>`;
}

function renderCredentials({ components }: OpenApiDocument): string {
  const rows = Object.entries(components.securitySchemes).map(([name, scheme]) => {
    const text = (scheme as { description: string }).description;
    return `<tr><td>${CREDENTIAL_TEXTS[name] ?? escapeHtml(name)}</td><td>${renderProse(text)}</td></tr>`;
  });
  return `<h2>Credentials</h2><p>Send them as <code>Authorization: Bearer …</code>. A session may also be sent without <code>Bearer</code>.</p><table>${rows.join('')}</table>`;
}

function renderOperation(
  { path, method, operation }: DocumentedOperation,
  document: OpenApiDocument,
): string {
  const { schemas } = document.components;
  const body = operation.requestBody?.content['application/json'];
  return `
<details class="operation" id="${operation.operationId}">
<summary><h3>${renderProse(operation.summary)}</h3>
<span class="route"><code class="method ${method}">${method.toUpperCase()}</code><code>${escapeHtml(path)}</code></span></summary>
${operation.description === undefined ? '' : renderParagraphs(operation.description)}
<p class="soft">Credential: ${renderSecurity(operation)}</p>
${renderParameters(operation.parameters ?? [], schemas)}
${body ? `<h4>Request</h4>${renderFields(listSchemaFields(body.schema, schemas))}${renderExamples(body)}` : ''}
${renderCurl(method, path, operation)}
${renderReplies(operation, document)}
</details>`;
}

function renderCurl(method: string, path: string, operation: Operation): string {
  const command = curlOf(method, path, operation).map(({ text, isBase }) =>
    isBase ? `<span class="base">${escapeHtml(text)}</span>` : escapeHtml(text),
  );
  return `<details><summary>curl</summary><pre><code>${command.join('')}</code></pre></details>`;
}

function renderSecurity({ security }: Operation): string {
  if (security.length === 0) return 'none';
  const choices = security.map((choice) => {
    const names = Object.keys(choice);
    return names.length === 0
      ? 'none'
      : names.map((name) => CREDENTIAL_TEXTS[name] ?? escapeHtml(name)).join(' and ');
  });
  return choices.join(', or ');
}

function renderParameters(
  parameters: readonly Parameter[],
  schemas: Readonly<Record<string, JsonSchema>>,
): string {
  if (parameters.length === 0) return '';
  const fields = parameters.map(({ name, required, description, schema }) => ({
    name,
    type: schemaTypeOf(schema, schemas),
    isRequired: required,
    text: description,
  }));
  return `<h4>Path and query</h4>${renderFields(fields)}`;
}

/** Renders a table of fields. It marks the required fields of a request, or the optional fields of a reply. */
function renderFields(fields: readonly DocumentedField[], of: 'request' | 'reply' = 'request'): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ name, type, isRequired, text }) =>
      `<tr><td><code>${escapeHtml(name).replaceAll('.', '.<wbr>')}</code>${requiredMarkOf(isRequired, of)}</td><td>${escapeHtml(type)}</td><td>${renderProse(text)}</td></tr>`,
  );
  return `<div class="wide"><table><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Description</th></tr>${rows.join('')}</table></div>`;
}

function requiredMarkOf(isRequired: boolean, of: 'request' | 'reply'): string {
  if (of === 'request') return isRequired ? ' <span class="required">required</span>' : '';
  return isRequired ? '' : ' <span class="soft">optional</span>';
}

function renderReplies(operation: Operation, document: OpenApiDocument): string {
  const responses = Object.entries(operation.responses);
  const replies = responses.filter(([status]) => status < '300');
  const errors = responses.filter(([status]) => status >= '300');
  return `<h4>Replies</h4>${replies
    .map(([status, { description, content }]) => {
      const [media] = Object.values(content);
      if (!media) return '';
      const fields = renderFields(listSchemaFields(media.schema, document.components.schemas), 'reply');
      return `<p><code>${status}</code> ${renderProse(description)}</p>${
        fields === '' ? '' : `<details><summary>Fields</summary>${fields}</details>`
      }${renderExamples(media)}`;
    })
    .join('')}
<details><summary>Errors</summary><table><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Message</th></tr>${errors
    .flatMap(([status, { content }]) =>
      Object.entries(content['application/json']?.examples ?? {}).map(
        ([code, { $ref }]) =>
          `<tr><td><code>${status}</code></td><td><code>${escapeHtml(code)}</code></td><td>${escapeHtml(
            document.components.examples[$ref?.split('/').at(-1) ?? code]?.summary ?? '',
          )}</td></tr>`,
      ),
    )
    .join('')}</table></details>`;
}

function renderExamples({ examples }: MediaType): string {
  return Object.values(examples)
    .map(({ summary, value }) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
      return `<details><summary>Example: ${escapeHtml(summary ?? '')}</summary><pre><code>${escapeHtml(text)}</code></pre></details>`;
    })
    .join('');
}

function renderParagraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${renderProse(paragraph)}</p>`)
    .join('');
}

/** Renders text as HTML. Backticks mark code. */
function renderProse(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
