import { z } from 'zod';
import { EMAIL_KINDS, EMAIL_TEMPLATES } from '../emails.ts';
import { strictQuery } from '../strict-fields.ts';
import {
  boundsInOrder,
  choiceFilter,
  flagFilter,
  idFilter,
  oneOf,
  pageFields,
  parameter,
  rangeFields,
  searchFilter,
  textFilter,
  workspaceFields,
} from './query-fields.ts';

export const unreadFields = {
  unread: flagFilter('unread').describe('With `1`, lists only notifications that are not marked as read.'),
};

export const notificationsQuery = strictQuery({ ...pageFields, ...workspaceFields, ...unreadFields });

export const emailsQuery = strictQuery({
  ...pageFields,
  ...workspaceFields,
  status: choiceFilter('status', ['queued', 'sent', 'failed']).describe(
    'Lists only emails with this status.',
  ),
  kind: choiceFilter('kind', EMAIL_KINDS).describe('Lists only emails of this kind.'),
  program_id: idFilter('program_id').describe('Lists only emails of this program.'),
  q: searchFilter().describe('Part of the recipient, ignoring case.'),
});

/** Query of the page that previews an email. */
export const emailPreviewQuery = strictQuery({
  template: parameter(oneOf('template', EMAIL_TEMPLATES)).describe('The template.'),
});

/** Query of the pages behind links in emails. Unknown parameters are ignored, because mail programs add some. */
export const emailLinkQuery = z.object({
  token: parameter(z.string({ error: 'token must be a string' }).optional()).describe('Token of the link.'),
});

export const auditLogQuery = strictQuery({
  ...pageFields,
  ...workspaceFields,
  actor: textFilter('actor').describe('Email address of the user who made the changes.'),
  action: textFilter('action').describe('Action, such as `partner.update`.'),
  subject: textFilter('subject').describe(
    'Kind of the changed row, with or without its id: `partner`, `partner:12`.',
  ),
  ...rangeFields,
}).check(boundsInOrder);
