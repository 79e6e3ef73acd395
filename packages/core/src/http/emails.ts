import {
  EMAIL_TEMPLATES,
  type EmailTemplate,
  emailPreviewQuery,
  emailsQuery,
  sendTestEmailRequest,
  updateEmailPreferencesRequest,
} from '@affkit/protocol';
import { isAllowed, roleIn } from '../access/permission.ts';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { maskEmail } from '../domain/email.ts';
import { categoryOf } from '../emails/email-data.ts';
import { readSampleContext, type SampleContext, writeSampleEmail } from '../emails/samples.ts';
import { renderEmail, senderNameOf } from '../emails/written-email.ts';
import { changeEmailPreferences, readEmailPreferences } from '../management/email-preferences.ts';
import { sendTestEmail } from '../management/test-emails.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { type EmailRow, listEmails } from '../storage/accounts/emails.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PREFERENCES_PATH = '/api/auth/email-preferences';
const TEMPLATES_PATH = '/api/advertiser/affiliate-programs/:id/email-templates';

/** The page has no scripts, and nothing can be loaded into it. Only pages of the same origin may show it in a frame. */
const PREVIEW_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox";

export const emailRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PREFERENCES_PATH,
    access: { kind: 'session', permission: null },
    handle: async (runtime, { caller: { user } }) => {
      return { body: { success: true, data: await readEmailPreferences(runtime, user.email) } };
    },
  }),
  route({
    method: 'PUT',
    path: PREFERENCES_PATH,
    access: { kind: 'session', permission: null },
    body: updateEmailPreferencesRequest,
    handle: async (runtime, { caller: { user }, body }) => {
      return { body: { success: true, data: await changeEmailPreferences(runtime, user.email, body) } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/advertiser/emails',
    access: { kind: 'session', permission: 'email:read' },
    query: emailsQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'email:read', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const { status, kind, program_id: programId, q: text } = query;
      const { read, dialect } = runtime.engine;
      const filter = { status, kind, programId, text };
      const { rows, total } = await listEmails(read, workspaceIds, filter, rowRangeOf(query), dialect);
      return replyWithList(
        rows.map((row) => toEmailReply(row, row.has_known_recipient)),
        query,
        total,
      );
    },
  }),
  route({
    method: 'POST',
    path: '/api/advertiser/emails/test',
    access: { kind: 'session', permission: 'email:read' },
    body: sendTestEmailRequest,
    handle: async (runtime, { caller, body: { program_id: programId, template } }) => {
      const program = await runtime.findProgram(programId);
      if (program === null || roleIn(caller, program.workspaceId) === null) {
        return new Rejection('program_not_found');
      }
      if (!isAllowed(caller, program.workspaceId, 'email:read')) return new Rejection('forbidden');
      const recipient = caller.user.email;
      const sent = await sendTestEmail(runtime, program, { recipient, template });
      return replyWithItem(sent, (row) => toEmailReply(row, true), 201);
    },
  }),
  route({
    method: 'GET',
    path: TEMPLATES_PATH,
    access: { kind: 'program_session', permission: 'email:read' },
    handle: async (runtime, { caller: { program } }) => {
      const context = await readSampleContext(runtime.engine.read, runtime, program);
      const data = EMAIL_TEMPLATES.map((template) => toTemplateReply(runtime, template, context));
      return { body: { success: true, data, meta: { delivery: runtime.mail === null ? 'none' : 'email' } } };
    },
  }),
  route({
    method: 'GET',
    path: `${TEMPLATES_PATH}/preview`,
    access: { kind: 'program_session', permission: 'email:read' },
    query: emailPreviewQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const context = await readSampleContext(runtime.engine.read, runtime, program);
      const { html } = toTemplateReply(runtime, query.template, context);
      return {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy': PREVIEW_POLICY,
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex',
        },
        // Remove the links, because they would open pages of the service in the frame.
        body: html.replaceAll(/ href="[^"]*"/g, ''),
      };
    },
  }),
];

function toTemplateReply({ mail }: Runtime, template: EmailTemplate, context: SampleContext) {
  const sample = writeSampleEmail(template, context);
  const category = categoryOf(template);
  return {
    template,
    category,
    is_transactional: category === null,
    from: { name: senderNameOf(sample, mail), address: mail?.mailer.from.address ?? null },
    ...renderEmail(sample, sample.unsubscribe ?? null),
  };
}

/** @param isRecipientShown whether the reply contains the whole address, or only its masked form */
function toEmailReply(row: EmailRow, isRecipientShown: boolean) {
  const recipient = isRecipientShown ? row.recipient : maskEmail(row.recipient);
  const emailData = JSON.parse(row.data ?? '{}') as { partnerId?: number; memberId?: number };
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    program_id: row.program_id,
    kind: row.kind,
    recipient,
    partner_id: emailData.partnerId ?? null,
    member_id: emailData.memberId ?? null,
    status: row.status,
    attempts: row.attempts,
    error: row.last_error?.replaceAll(row.recipient, recipient) ?? null,
    next_attempt_at: isoTimeOrNull(row.status === 'queued' ? row.run_at : null),
    created_at: isoTime(row.created_at),
    finished_at: isoTimeOrNull(row.finished_at),
  };
}
