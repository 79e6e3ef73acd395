import { CommandError } from '../command-result.ts';

/** A change of one file. Applying it a second time changes nothing. */
export type Edit =
  /** Creates a file. */
  | { readonly kind: 'create'; readonly path: string; readonly content: string }
  /** Inserts a line before a closing tag, unless the file contains the marker. */
  | {
      readonly kind: 'insert';
      readonly path: string;
      readonly before: string;
      readonly content: string;
      readonly marker: string;
      /** A line to add at the start of the file. */
      readonly firstLine?: string;
    }
  /** Appends code to a file, unless the file contains the marker. */
  | { readonly kind: 'append'; readonly path: string; readonly content: string; readonly marker: string }
  /** Adds the variables that an environment file does not set yet. */
  | { readonly kind: 'variables'; readonly path: string; readonly content: string };

/**
 * Returns the new content of a file.
 * @param current null if the file does not exist
 * @throws CommandError if the file must be edited by hand
 */
export function applyEdit(edit: Edit, current: string | null): string {
  if (edit.kind === 'create') return create(edit.path, edit.content, current);
  if (edit.kind === 'variables') return addVariables(edit.content, current ?? '');
  const text = current ?? '';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const content = edit.content.replaceAll('\n', eol);
  if (text.includes(edit.marker)) {
    if (text.includes(content)) return text;
    throw new CommandError(
      `${edit.path} contains Affkit already, but with other settings. Nothing was written. Change it by hand, or remove it and run the command again.`,
    );
  }
  if (edit.kind === 'insert') return insert(edit, text, content, eol);
  if (text.trimEnd().endsWith('?>')) {
    throw new CommandError(
      `${edit.path} ends with ?>. Nothing was written. Remove the ?>, which PHP does not need, and run the command again.`,
    );
  }
  return `${text.trimEnd()}${eol}${eol}${content}${eol}`;
}

function create(path: string, content: string, current: string | null): string {
  if (current === null || current.replaceAll('\r\n', '\n') === content) return current ?? content;
  throw new CommandError(
    `${path} exists already. Nothing was written. Rename the file, or add this by hand:\n${content}`,
  );
}

function insert(
  { path, before, firstLine }: Extract<Edit, { readonly kind: 'insert' }>,
  text: string,
  content: string,
  eol: string,
): string {
  const [start = '', end, ...others] = text.split(before);
  const isUnique = end !== undefined && others.length === 0;
  // A directive such as 'use client' must stay the first line.
  const hasDirective = firstLine !== undefined && /^\s*['"]use /.test(text);
  if (!isUnique || hasDirective) {
    const reason = isUnique
      ? "starts with a directive such as 'use client'"
      : `must contain ${before} exactly once`;
    const added = firstLine === undefined ? content : `${firstLine} and ${content}`;
    throw new CommandError(`${path} ${reason}. Nothing was written. Add this by hand: ${added}`);
  }
  const lastLine = start.slice(start.lastIndexOf('\n') + 1);
  const indent = lastLine.slice(lastLine.trimEnd().length);
  const head = start.slice(0, start.length - indent.length);
  const isOwnLine = head === '' || head.endsWith('\n');
  const deeper = indent.includes('\t') ? '\t' : '  ';
  const inserted = isOwnLine
    ? `${head}${indent}${deeper}${content}${eol}${indent}${before}${end}`
    : `${start}${content}${before}${end}`;
  return firstLine === undefined ? inserted : `${firstLine}${eol}${inserted}`;
}

function addVariables(content: string, current: string): string {
  const eol = current.includes('\r\n') ? '\r\n' : '\n';
  const present = new Set(current.split('\n').map(variableOf));
  const missing = content.split('\n').filter((line) => !present.has(variableOf(line)));
  if (missing.length === 0) return current;
  const start = current === '' || current.endsWith('\n') ? current : `${current}${eol}`;
  return `${start}${missing.join(eol)}${eol}`;
}

/** Returns the name of the variable that a line sets. The line may start with `export`, as in a shell script. */
function variableOf(line: string): string {
  const name = line.split('=', 1)[0]?.trim() ?? '';
  return line.includes('=') && name.startsWith('export ') ? name.slice('export '.length).trim() : name;
}
