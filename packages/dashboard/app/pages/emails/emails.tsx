import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/emails.tsx';
import { ProgramContext, useWorkspace } from '../../session/session.tsx';
import { Select } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { SentEmails } from './sent-emails.tsx';
import { Templates } from './templates.tsx';

/** The templates of emails, and the emails that were sent for the workspace. */
export function Emails(): JSX.Element {
  const { programs } = useWorkspace();
  const shown = useContext(ProgramContext)?.program;
  const [{ tab, program = '' }, change] = useQueryState();
  const isSent = tab === 'sent';
  const chosen = programs.find(({ id }) => String(id) === program) ?? shown ?? programs[0];
  const choices = programs.map(({ id, name }) => ({ value: String(id), text: name }));
  return (
    <Page title={common.emails} intro={messages.intro}>
      <div class="stack">
        <Tabs isSent={isSent} />
        {isSent ? (
          <SentEmails />
        ) : chosen ? (
          <Templates programId={chosen.id}>
            {choices.length > 1 && (
              <Select
                label={common.program}
                isWide
                value={String(chosen.id)}
                choices={choices}
                onChange={(value) => change({ program: value })}
              />
            )}
          </Templates>
        ) : (
          <div class="card flush">
            <Empty
              action={
                <Link to="/welcome" button="primary">
                  {messages.createProgram}
                </Link>
              }
            >
              {messages.noProgram}
            </Empty>
          </div>
        )}
      </div>
    </Page>
  );
}

function Tabs({ isSent }: { isSent: boolean }): JSX.Element {
  const { path } = useLocation();
  return (
    <nav class="tabs" aria-label={common.emails}>
      <a href={path} aria-current={isSent ? undefined : 'true'}>
        {messages.tabs.templates}
      </a>
      <a href={`${path}?tab=sent`} aria-current={isSent ? 'true' : undefined}>
        {messages.tabs.sent}
      </a>
    </nav>
  );
}
