import { type Credential, expectedOutcome, PERMISSIONS } from './permission-matrix.ts';

const COLUMNS: readonly (readonly [title: string, credential: Credential])[] = [
  ['none', 'none'],
  ['`aff_` of this program', 'token of this program'],
  ['`aff_` of another', 'token of another program'],
  ['key with the scope or `*`', 'key with *'],
  ['key out of `program_scope`', 'key out of program_scope'],
  ['key, maker now member', 'key whose maker is a member now'],
  ['key, maker now viewer', 'key whose maker is a viewer now'],
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

Who gets past the access check of each route. The tests send a request for every cell, on every engine, and a route
that this page lacks fails them. This page is printed from their table: change
\`packages/core/test/accounts/permission-matrix.ts\`, then run \`vitest run permissions -u\`.

- ✓: let in. Then only the request itself can be refused.
- 401: no valid credential, or one of the wrong kind. It comes first: before 404 for a program that does not exist, and
  before 403.
- 403: known, but not allowed.

Scope: what a management key (\`affk_…\`) needs; a key with any other scopes gets 403. \`itself\`: a key with any scopes
acts on itself alone; another key's id is 403. Without a scope, no key opens the route. A key never exceeds the present
role of its maker, and ends when its maker leaves the workspace. A key with \`program_scope\` sees nothing of other
programs, in lists neither, and creates no programs.

owner, admin, member, viewer: sessions of those roles in the workspace. outsider: the owner of another workspace.
partner: a user who is a partner and a member of nothing. Where a call may name a \`workspace_id\`, the table says what is
answered for this workspace; a call that names none acts on the caller's own workspaces: lists of someone who has none
are empty, and creating there is 403.

A partner, link, policy or commission of another program is 404 under this program's path. A member, key, notification
or processor connection of another workspace is 403, and so is another partner's notification. Being a partner is no
role: an owner who is one too sees its own rows under \`/api/partner\`.

`;

/** The table of permissions, to be read. */
export function permissionsPage(): string {
  const header = ['route', 'scope', ...COLUMNS.map(([title]) => title)];
  const rows = Object.entries(PERMISSIONS).map(([route, permission]) => [
    `\`${route}\``,
    permission.key === undefined || permission.key === 'itself'
      ? (permission.key ?? '')
      : `\`${permission.key}\``,
    ...COLUMNS.map(([, credential]) => {
      const outcome = expectedOutcome(permission, credential);
      return outcome === 'through' ? '✓' : String(outcome);
    }),
  ]);
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${INTRO}${lines.join('\n')}\n`;
}
