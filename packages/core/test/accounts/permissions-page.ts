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
  ['cookie of an owner', 'cookie of owner'],
  ['cookie, another origin', 'cookie from another origin'],
];

const INTRO = `# Permissions

Which credentials pass the access check of each route. Tests send a request for every cell, on every engine, and fail for a
route that is not on this page. The page is generated: change \`packages/core/test/accounts/permission-matrix.ts\`, then run
\`vitest run permissions -u\`.

## How to read the table

| cell | meaning |
| --- | --- |
| ✓ | admitted; the request itself can still be rejected |
| 401 | no valid credential, or one of the wrong type; checked first |
| 403 | a valid credential of the workspace that lacks the permission |
| 404 | a valid credential from outside: the reply is the same as for an id that does not exist |

**Columns.** owner, admin, member, and viewer are sessions with that role in the workspace. outsider is the owner of another
workspace. partner is a user who is a partner and not a member of any workspace.

**Scope** is what a management key (\`affk_…\`) needs. A key without it gets 403. \`itself\` means that a key with any scopes
acts only on itself; the id of another key of its workspace is 403. If the cell is empty, no key may call the route.

## Rules

- A key never has more rights than its creator has now. It ends when its creator leaves the workspace.
- A key with \`program_scope\` sees no other programs: they are 404 and not in lists. It cannot create programs.
- The event list and the performance of a program are 403 for users from outside, because the contract of these two reads says
  so. They show that a program id exists, and nothing else of the program.
- If a call may name a \`workspace_id\`, the table shows the reply for this workspace. A call that names none covers the
  caller's own workspaces. For a caller without workspaces, lists are empty, and creating is 403.
- A partner, link, policy, or commission of another program is 404 under this program's path.
- A member, key, notification, or processor connection of another workspace is 404, and so is another partner's
  notification.
- A session in a cookie has the rights of a session. A request other than GET needs an \`Origin\` that is the
  origin of the service, else it is 403. An \`Authorization\` header makes the service ignore the cookie, also if
  the header is not valid. Tracking routes always ignore it.
- A session of another user is 404 under \`/api/auth/sessions\`.
- Being a partner is not a role. An owner who is also a partner sees its own rows under \`/api/partner\`.

## Table

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
      const outcome = expectedOutcome(route, permission, credential);
      return outcome === 'allowed' ? '✓' : String(outcome);
    }),
  ]);
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${INTRO}${lines.join('\n')}\n`;
}
