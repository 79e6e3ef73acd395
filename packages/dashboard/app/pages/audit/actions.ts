import * as messages from '#messages/audit.tsx';
import type { AuditEntry } from '../../api/types.ts';

/**
 * Returns the text of an action, such as `Approved a commission`. For an unknown action of a later version,
 * it returns the action's name.
 */
export function actionText(action: string): string {
  return messages.actions[action] ?? action;
}

/** Formats a subject: `partner:12` becomes `Partner 12`. */
export function subjectText(subject: string): string {
  const [kind = '', id] = subject.split(':');
  const name = messages.subjects[kind] ?? kind;
  return id === undefined ? name : messages.numbered(name, id);
}

/** Returns the filter value that selects all changes of this entry's subject, such as `partner:12`. */
export function auditSubjectOf({ subject: { kind, id } }: AuditEntry): string {
  return id === null ? kind : `${kind}:${id}`;
}

/** Returns the actor of a change: an email address, an API key, or Affkit itself. */
export function actorText({ kind, id, email }: AuditEntry['actor']): string {
  if (kind === 'user') return email ?? messages.user(id);
  return kind === 'key' ? messages.apiKey(id) : messages.system;
}
