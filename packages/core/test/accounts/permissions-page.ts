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

This page shows which credentials each route accepts. Tests send a request for every cell, on both databases, and fail for a
route that is not on this page. The page is generated: change \`packages/core/test/accounts/permission-matrix.ts\`, then run
\`vitest run permissions -u\`.

## How to read the table

| cell | meaning |
| --- | --- |
| ✓ | accepted; the request can still be rejected for other reasons |
| 401 | the credential is missing, not valid, or of the wrong type; this is checked first |
| 403 | the credential is valid in the workspace, but does not have the permission |
| 404 | the credential is valid, but has no access; the reply is the same as for an id that does not exist |

**Columns.** \`owner\`, \`admin\`, \`member\`, and \`viewer\` are sessions with that role in the workspace. \`outsider\` is
the session of an owner of another workspace. \`partner\` is the session of a partner who is not a member of any
workspace.

**Scope** is the scope that a management key (\`affk_…\`) needs. A key without it gets 403. \`itself\` means that a key with any
scopes can call the route for itself, but gets 403 for other keys of its workspace. If the cell is empty, no key can call
the route.

## Rules

- A key never has more rights than its creator has at the moment. It stops working when its creator leaves the workspace.
- A key with \`program_scope\` gets 404 for all other programs, and lists do not contain them. It cannot create programs.
- The event list and the performance of a program return 403 to users without access, not 404. This shows that the program
  exists, and nothing else.
- For routes that accept a \`workspace_id\`, the table shows the reply for this workspace. Without a \`workspace_id\`, a
  request covers all workspaces of the caller. For a caller without workspaces, lists are empty, and creating returns 403.
- A partner, link, policy, or commission of another program returns 404.
- A member, key, notification, or processor connection of another workspace returns 404, and so does another partner's
  notification.
- A session in a cookie has the rights of a session. Requests other than GET and HEAD also need the \`Origin\` of the
  service. Without it, the reply is 403. If a request has an \`Authorization\` header, valid or not, the cookie is ignored.
  Tracking routes always ignore the cookie.
- Another user's session returns 404 under \`/api/auth/sessions\`.
- Partners have no role. An owner who is also a partner can read their own rows under \`/api/partner\`.

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
