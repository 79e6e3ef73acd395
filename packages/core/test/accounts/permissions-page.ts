import { type Credential, expectedOutcome, PERMISSIONS } from './permission-matrix.ts';

const COLUMNS: readonly (readonly [title: string, credential: Credential])[] = [
  ['none', 'none'],
  ['`aff_` of this program', 'token of this program'],
  ['`aff_` of another', 'token of another program'],
  ['key with the scope or `*`', 'key with *'],
  ['key limited to another program', 'key limited to another program'],
  ['key, creator now member', 'key whose creator is now a member'],
  ['key, creator now viewer', 'key whose creator is now a viewer'],
  ['key of another workspace', 'key of another workspace'],
  ['expired, revoked, unknown', 'key revoked'],
  ['owner', 'session of owner'],
  ['admin', 'session of admin'],
  ['member', 'session of member'],
  ['viewer', 'session of viewer'],
  ['outsider', 'session of outsider'],
  ['partner', 'session of partner'],
];

const INTRO = `# Permissions

This page lists the result of the access check of each route for each kind of credential. It is generated from
\`packages/core/test/accounts/permission-matrix.ts\`: change that file, then run \`vitest run permissions -u\`. The tests
send a request for each cell on each database, and fail for a route that is not listed.

- ✓: access is granted. The request can still fail for other reasons.
- 401: the credential is missing, invalid or of the wrong type. This is checked first, before the 404 for an unknown
  program and before 403.
- 403: the credential is valid, but does not grant access.

**Scope** is the scope that a management key (\`affk_…\`) requires; keys without it get 403. \`itself\` means that a key with
any scopes can act on itself, and gets 403 for the id of another key. If the column is empty, management keys are
rejected. A key never exceeds the current role of its creator, and becomes invalid when its creator leaves the workspace.
A key with \`program_scope\` can't access other programs, not even in lists, and can't create programs.

**owner, admin, member, viewer** are sessions of users with that role in the workspace. **outsider** is the owner of
another workspace. **partner** is a user who is a partner and not a member of any workspace. Where a request can contain a
\`workspace_id\`, the table shows the result for this workspace. A request without it acts on the caller's own workspaces:
a caller who has none gets empty lists, and 403 when creating.

A partner, link, policy or commission of another program gives a 404 under the path of this program. A member, key,
notification or processor connection of another workspace gives a 403, and so does a notification of another partner.
Being a partner is not a role: an owner who is also a partner sees their own rows under \`/api/partner\`.

`;

/** Returns the content of docs/permissions.md. */
export function permissionsPage(): string {
  const header = ['route', 'scope', ...COLUMNS.map(([title]) => title)];
  const rows = Object.entries(PERMISSIONS).map(([route, permission]) => [
    `\`${route}\``,
    permission.key === undefined || permission.key === 'itself'
      ? (permission.key ?? '')
      : `\`${permission.key}\``,
    ...COLUMNS.map(([, credential]) => {
      const outcome = expectedOutcome(permission, credential);
      return outcome === 'allowed' ? '✓' : String(outcome);
    }),
  ]);
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${INTRO}${lines.join('\n')}\n`;
}
