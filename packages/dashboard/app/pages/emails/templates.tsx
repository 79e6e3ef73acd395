import type { ComponentChildren, JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/emails.tsx';
import type { EmailTemplates } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { Select } from '../../ui/controls.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { TEMPLATE_GROUPS, type Template } from './kinds.ts';
import { MailerGuide } from './mailer-guide.tsx';
import { TemplatePreview } from './template-preview.tsx';

const ALL = TEMPLATE_GROUPS.flatMap(({ templates }) => templates);
const CHOICES = ALL.map((value) => ({ value, text: messages.kinds[value].name }));

/**
 * The templates of a program, and a preview of one of them. `children` is the field that chooses the program.
 */
export function Templates({
  programId,
  children,
}: {
  programId: number;
  children: ComponentChildren;
}): JSX.Element {
  const path = `/api/advertiser/affiliate-programs/${programId}/email-templates`;
  const { data, error, refetch } = useApi<EmailTemplates>(path);
  const [query, change] = useQueryState();
  const chosen = ALL.find((template) => template === query['template']) ?? 'application_received';
  const content = data?.data.find(({ template }) => template === chosen);
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      {data.meta.delivery === 'none' && <MailerGuide />}
      <div class="templates">
        <div class="stack">
          {children}
          <div class="template-choice">
            <Select
              label={messages.templates}
              isWide
              value={chosen}
              choices={CHOICES}
              onChange={(template) => change({ template })}
            />
          </div>
          <TemplateList chosen={chosen} />
        </div>
        {content && (
          <TemplatePreview
            key={`${programId} ${chosen}`}
            programId={programId}
            path={path}
            content={content}
            canSend={data.meta.delivery === 'email'}
          />
        )}
      </div>
    </>
  );
}

/**
 * Placeholders, shown until the templates have loaded. The mailer guide may then appear at the top. It would
 * push other content down, so no other content is shown before.
 */
function Loading(): JSX.Element {
  return (
    <div class="card stack" aria-busy="true">
      <Skeleton width="200px" height="20px" />
      <Skeleton width="60%" />
      <Skeleton height="520px" />
    </div>
  );
}

function TemplateList({ chosen }: { chosen: Template }): JSX.Element {
  const { path } = useLocation();
  const [query] = useQueryState();
  return (
    <nav class="nav template-list" aria-label={messages.templates}>
      {TEMPLATE_GROUPS.map(({ title, templates }) => (
        <ul key={title} aria-label={title}>
          <li class="nav-title" aria-hidden="true">
            {title}
          </li>
          {templates.map((template) => (
            <li key={template}>
              <a
                href={`${path}?${new URLSearchParams({ ...query, template })}`}
                aria-current={template === chosen ? 'page' : undefined}
              >
                {messages.kinds[template].name}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}
