import * as messages from '#messages/audit.tsx';
import type { AuditEntry } from '../../api/types.ts';

/** `Approved a commission`. An unknown action, of a later version, shows its name. */
export function actionText(action: string): string {
  return messages.actions[action] ?? action;
}

/** `Partner 12` for `partner:12`. */
export function subjectText(subject: string): string {
  const [kind = '', id] = subject.split(':');
  const name = messages.subjects[kind] ?? kind;
  return id === undefined ? name : messages.numbered(name, id);
}

/** The filter value that lists all changes of the same row. */
export function auditSubjectOf({ subject: { kind, id } }: AuditEntry): string {
  return id === null ? kind : `${kind}:${id}`;
}

/** The actor of a change: an email address, an API key, or Affkit itself. */
export function actorText({ kind, id, email }: AuditEntry['actor']): string {
  if (kind === 'user') return email ?? messages.user(id);
  return kind === 'key' ? messages.apiKey(id) : messages.system;
}
