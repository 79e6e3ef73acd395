import { isolate } from '../../format/isolate.ts';
export const intro =
  'With an API key, software can manage this workspace without signing in. A key can never do more than the user who created it.';
export const none =
  'No API keys yet. A key lets your own software read statistics, approve partners, or pay out.';
export const key = 'Key';
export const access = 'Access';
export const programs = 'Programs';
export const unnamedProgram = (id: string): string => `Program ${id}`;
export const programList = (names: readonly string[]): string => names.join(', ');
export const inAll = 'All';
export const lastUsed = 'Last used';
export const expires = 'Expires';
export const never = 'Never';

export const actionsFor = (name: string): string => `Actions for ${name}`;
export const revoke = 'Revoke';
export const revokeWithDialog = 'Revoke…';
export const revokeTitle = (name: string): string => `Revoke ${isolate(name)}?`;
export const revokeWarning = 'Requests with this key will be rejected. You cannot undo this.';

export const create = 'Create an API key';
export const createSubmit = 'Create';
export const nameHint = 'The software that uses the key, such as CRM sync.';
export const lost =
  'No reply arrived, so the key may have been created. If it is in the list, revoke it, because a key is shown only once.';
export const createdKey = 'API key';
export const createdKeyHint =
  'Store this key now. It is not shown again. Send it with each request, in the header Authorization: Bearer.';

/** The ways to choose what a key may do. */
export const accesses = {
  read: 'Read only',
  custom: 'Choose',
  all: 'Everything',
} as const;
export const accessHints = {
  read: 'The key can read everything, but cannot change anything.',
  custom: 'The key can do only what you choose here.',
  all: 'The key can do everything that you can do in programs. If an update of Affkit adds actions, the key can do them too.',
} as const;
export const scopesMissing = 'Choose at least one action.';

export const inPrograms = 'In which programs';
export const allPrograms = 'All programs';
export const allProgramsHint = 'Including programs that are created later.';
export const programsMissing = 'Choose at least one program.';

export const expiries = {
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In one year',
  date: 'On a date',
  never: 'Never',
} as const;
export const expiryDate = 'Date (0:00 UTC)';
export const expiryDateInvalid = 'Choose a date in the future.';

/** The text for each scope in the API. */
export const scopes = {
  'program:list': 'List programs',
  'program:read': 'See a program and its setup',
  'program:create': 'Create programs',
  'program:update': 'Change settings and send test events',
  'program:delete': 'Delete programs',
  'program:go_live': 'Make programs live',
  'program:regenerate-token': 'Replace tracking tokens',
  'partner:list': 'See partners',
  'partner:create': 'Invite partners',
  'partner:update': 'Change, approve, and ban partners',
  'link:list': 'See links',
  'link:create': 'Create links',
  'link:update': 'Change and pause links',
  'customer:list': 'See customers',
  'policy:list': 'See policies',
  'policy:create': 'Create policies',
  'policy:update': 'Change policies',
  'policy:delete': 'Delete policies',
  'commission:list': 'See commissions',
  'commission:update': 'Approve, reject, and adjust commissions',
  'payout:list': 'See payouts',
  'payout:create': 'Create payouts',
  'payout:update': 'Mark payouts as paid, or cancel them',
  'trace:read': 'Look up why a partner was credited',
  'dashboard:view': 'See figures and charts',
} as const;

/** The title for each part of a scope before the colon. Scopes with the same title form one group. */
export const scopeGroups: Readonly<Record<string, string>> = {
  program: 'Programs',
  partner: 'Partners',
  link: 'Links',
  customer: 'Customers',
  policy: 'Policies',
  commission: 'Commissions',
  payout: 'Payouts',
  trace: 'Reports',
  dashboard: 'Reports',
};
export const readOnlyGroup = (group: string): string => `${group} (read)`;
export const groupList = (groups: readonly string[]): string => groups.join(', ');
