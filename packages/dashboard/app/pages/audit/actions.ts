import type { AuditEntry } from '../../api/types.ts';

/** What an action did, in words that follow the name of who acted. */
export const ACTIONS: Readonly<Record<string, string>> = {
  'program.create': 'Created a program',
  'program.update': 'Changed a program',
  'program.go_live': 'Set a program live',
  'program.regenerate_token': 'Replaced a tracking token',
  'program.delete': 'Deleted a program',
  'partner.create': 'Added a partner',
  'partner.update': 'Changed a partner',
  'partner.invite': 'Invited a partner',
  'partner.accept_invite': 'Accepted a partner invitation',
  'link.create': 'Created a link',
  'link.update': 'Changed a link',
  'policy.create': 'Created a policy',
  'policy.update': 'Changed a policy',
  'policy.delete': 'Deleted a policy',
  'commission.approve': 'Approved a commission',
  'commission.reject': 'Rejected a commission',
  'commission.adjust': 'Adjusted a commission',
  'payout.create': 'Created a payout',
  'payout.mark_paid': 'Marked a payout as paid',
  'payout.cancel': 'Canceled a payout',
  'member.create': 'Added a member',
  'member.update': 'Changed a member',
  'member.delete': 'Removed a member',
  'member.invite': 'Invited a member',
  'member.accept_invite': 'Accepted a member invitation',
  'api_key.create': 'Created an API key',
  'api_key.update': 'Changed an API key',
  'api_key.revoke': 'Revoked an API key',
  'processor_connection.create': 'Connected a payment processor',
  'processor_connection.update': 'Changed a payment processor',
  'processor_connection.disconnect': 'Disconnected a payment processor',
  'workspace.create': 'Created the workspace',
};

export const SUBJECTS: Readonly<Record<string, string>> = {
  program: 'Program',
  partner: 'Partner',
  link: 'Link',
  policy: 'Policy',
  commission: 'Commission',
  payout: 'Payout',
  member: 'Member',
  api_key: 'API key',
  processor_connection: 'Payment processor',
  workspace: 'Workspace',
};

/** `Approved a commission`. An unknown action, of a later version, shows its name. */
export function actionText(action: string): string {
  return ACTIONS[action] ?? action;
}

/** `Partner 12` for `partner:12`. */
export function subjectText(subject: string): string {
  const [kind = '', id] = subject.split(':');
  const name = SUBJECTS[kind] ?? kind;
  return id === undefined ? name : `${name} ${id}`;
}

/** The value of the filter that lists the changes of the same row. */
export function subjectOf({ subject: { kind, id } }: AuditEntry): string {
  return id === null ? kind : `${kind}:${id}`;
}

/** Who made a change: an email address, or what acted instead of a user. */
export function actorText({ kind, id, email }: AuditEntry['actor']): string {
  if (kind === 'user') return email ?? `User ${id}`;
  return kind === 'key' ? `API key ${id}` : 'Affkit';
}
