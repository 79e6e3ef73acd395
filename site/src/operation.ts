import { curlOf } from '../../packages/core/src/http/openapi/docs-curl.ts';
import type { MediaType, OpenApiDocument, Operation } from '../../packages/core/src/http/openapi/document.ts';
import {
  type DocumentedField,
  listSchemaFields,
  schemaTypeOf,
} from '../../packages/core/src/http/openapi/schema-fields.ts';

interface DescribedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function describedOperations({ paths }: OpenApiDocument): DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  trackingToken: 'tracking token (`aff_…`)',
  managementKey: 'management key (`affk_…`)',
  session: 'session',
  browserSession: 'session cookie',
  bareSession: 'session without `Bearer`',
};

/** Renders a route as Markdown with two columns: its fields and errors, and its examples. */
export function renderOperation(entry: DescribedOperation, document: OpenApiDocument): string {
  const { path, method, operation } = entry;
  const { operationId: id, summary, description, parameters = [], requestBody } = operation;
  const { schemas } = document.components;
  const body = requestBody?.content['application/json'];
  const query = parameters.map(({ name, required, description: text, schema }) => ({
    name,
    type: schemaTypeOf(schema, schemas),
    isRequired: required,
    text,
  }));
  const scope = operation['x-scope'] === undefined ? '' : ` Scope: \`${operation['x-scope']}\`.`;
  return `## ${summary} {#${id}}

<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code v-pre>${path.replaceAll('/', '/<wbr>')}</code></p>

<div class="operation"><div>

${description === undefined ? '' : escapeText(description)}

Credential: ${credentialsOf(operation)}.${scope}

${section(id, 'Path and query', renderFields(query, 'required'))}
${body === undefined ? '' : section(id, 'Body', renderFields(listSchemaFields(body.schema, schemas), 'required'))}
${renderReplies(operation, document)}
</div><div class="samples">

\`\`\`sh [Request]
${curlOf(method, path, operation)
  .map(({ text }) => text)
  .join('')}
\`\`\`
${body === undefined ? '' : renderExamples('Body', body, 1)}
${successOf(operation)
  .map(([status, { content }]) =>
    Object.values(content)
      .map((media) => renderExamples(`Reply ${status}`, media, 0))
      .join(''),
  )
  .join('')}

</div></div>
`;
}

function section(id: string, title: string, content: string): string {
  const slug = title.toLowerCase().replaceAll(' ', '-');
  return content === '' ? '' : `### ${title} {#${id}-${slug}}\n\n${content}\n`;
}

function credentialsOf({ security }: Operation): string {
  const choices = security.map((choice) =>
    Object.keys(choice)
      .map((name) => CREDENTIALS[name] ?? name)
      .join(' and '),
  );
  return choices.map((choice) => choice || 'none').join(', or ') || 'none';
}

/** Marks the required fields of a request, or the optional fields of a reply. */
function renderFields(fields: readonly DocumentedField[], marked: 'required' | 'optional'): string {
  const items = fields.map(({ name, type, isRequired, text }) => {
    const mark = isRequired === (marked === 'required') ? ` <span class="${marked}">${marked}</span>` : '';
    const label = escapeText(name).replaceAll('.', '.<wbr>');
    const detail = text === '' ? '' : `<dd>\n\n${escapeText(text)}\n\n</dd>`;
    return `<dt><code v-pre>${label}</code> <span class="type" v-pre>${escapeText(type)}</span>${mark}</dt>${detail}`;
  });
  return items.length === 0 ? '' : `<dl class="fields">\n${items.join('\n')}\n</dl>\n`;
}

function successOf({ responses }: Operation) {
  return Object.entries(responses).filter(([status]) => status < '300');
}

function renderReplies(operation: Operation, document: OpenApiDocument): string {
  const { schemas, examples } = document.components;
  const replies = successOf(operation).map(([status, { description, content }]) => {
    const [media] = Object.values(content);
    const fields =
      media === undefined ? '' : renderFields(listSchemaFields(media.schema, schemas), 'optional');
    return `**\`${status}\`** ${escapeText(description)}\n\n${fields === '' ? '' : details('Fields of the reply', fields)}`;
  });
  const errors = Object.entries(operation.responses)
    .filter(([status]) => status >= '300')
    .flatMap(([status, { content }]) =>
      Object.entries(content['application/json']?.examples ?? {}).map(([code, { $ref }]) => {
        const text = examples[$ref?.split('/').at(-1) ?? code]?.summary ?? '';
        return `| \`${status}\` | \`${code}\` | ${escapeText(text).replaceAll('|', '\\|')} |`;
      }),
    );
  const table = `| Status | Code | Message |\n| --- | --- | --- |\n${errors.join('\n')}\n`;
  const replySection = section(operation.operationId, 'Replies', replies.join('\n'));
  return errors.length === 0 ? replySection : `${replySection}\n${details('Errors', table)}`;
}

function details(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}\n</details>\n`;
}

/** @param skipped how many of the first examples to leave out, because the page shows them elsewhere */
function renderExamples(title: string, { examples }: MediaType, skipped: number): string {
  return Object.values(examples)
    .slice(skipped)
    .map(({ summary, value }) => {
      const [text, language] =
        typeof value === 'string' ? [value, 'text'] : [JSON.stringify(value, null, 2), 'json'];
      const label = `${title}${summary === undefined ? '' : `: ${summary}`}`;
      return `\n<p class="sample-title">${escapeText(label)}</p>\n\n\`\`\`\`${language}\n${text}\n\`\`\`\`\n`;
    })
    .join('');
}

/** Escapes what Markdown or Vue would read as markup, except in code. */
function escapeText(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')))
    .join('');
}
