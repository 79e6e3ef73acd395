import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/program-page.ts';
import * as settings from '#messages/settings.tsx';
import type { ItemReply, ProgramPage } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { API_PATH } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, CheckField, Field } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { useToast } from '../../ui/toast.tsx';
import { withoutSent } from '../../ui/unsaved.ts';
import { useLeaveGuard } from '../../ui/use-leave-guard.tsx';
import { SaveBar } from '../settings/save-bar.tsx';
import { SettingGroup } from '../settings/setting-groups.tsx';
import { LogoField } from './logo-field.tsx';
import { isComplete, linesOf, type PageDraft, pageBodyOf, pageDraftOf } from './page-draft.ts';
import { MAX_QUESTIONS, QuestionsField } from './questions-field.tsx';

const DEFAULT_COLOR = '#0b6b4b';

/** The settings of the public page on which people apply. */
export function ProgramPageSettings(): JSX.Element {
  const { api, page } = useProgram();
  const reply = useApi<ItemReply<ProgramPage>>(`${api}/page`);
  return (
    <Page
      title={messages.title}
      intro={messages.intro}
      above={<Link to={`${page}/settings`}>{common.settings}</Link>}
    >
      {reply.error && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.data && <PageForm saved={reply.data.data} />}
      {reply.isPending && <Skeleton height="400px" />}
    </Page>
  );
}

function PageForm({ saved }: { saved: ProgramPage }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync, isPending } = useChange(api);
  const toast = useToast();
  const [changes, setChanges] = useState<Partial<PageDraft>>({});
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const draft = { ...pageDraftOf(saved), ...changes };
  const body = pageBodyOf(draft, saved);
  const changed = Object.keys(body).length;
  const discard = () => {
    setChanges({});
    setFailure(null);
    setChecked(false);
  };
  const guard = useLeaveGuard(changed > 0, discard);
  const change = (next: Partial<PageDraft>) => setChanges((before) => ({ ...before, ...next }));

  const save = async () => {
    setChecked(true);
    setFailure(null);
    if (!draft.questions.every(isComplete)) {
      setFailure(new Error(messages.invalid([messages.questions])));
      return;
    }
    try {
      await mutateAsync({ method: 'PUT', path: `${api}/page`, body, stays: true });
      setChanges((now) => withoutSent(now, changes));
      setChecked(false);
      toast(messages.saved);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) void save();
      }}
    >
      <PublicationGroup saved={saved} draft={draft} onChange={change} />
      <SettingGroup title={messages.content} about={messages.contentText}>
        <TextArea
          label={messages.description}
          rows={6}
          value={draft.description}
          onInput={(description) => change({ description })}
        />
        <TextArea
          label={messages.terms}
          hint={messages.termsHint}
          rows={6}
          value={draft.terms}
          onInput={(terms) => change({ terms })}
        />
        <LogoField value={draft.logo} onChange={(logo) => change({ logo })} />
        <Field label={messages.color} hint={messages.colorHint}>
          {(control) => (
            <div class="row">
              <input
                {...control}
                type="color"
                value={draft.accent_color ?? DEFAULT_COLOR}
                onInput={({ currentTarget }) => change({ accent_color: currentTarget.value })}
              />
              {draft.accent_color !== null && (
                <Button onClick={() => change({ accent_color: null })}>{messages.defaultColor}</Button>
              )}
            </div>
          )}
        </Field>
      </SettingGroup>
      <SettingGroup title={messages.questions} about={messages.questionsText(MAX_QUESTIONS)}>
        <QuestionsField
          questions={draft.questions}
          isChecked={isChecked}
          onChange={(questions) => change({ questions })}
        />
      </SettingGroup>
      <SettingGroup title={messages.rules} about={messages.rulesText}>
        <TextArea
          label={messages.domains}
          hint={messages.domainsHint}
          value={draft.auto_approve_domains}
          onInput={(auto_approve_domains) => change({ auto_approve_domains })}
        />
        <TextArea
          label={messages.codes}
          hint={messages.codesHint}
          value={draft.invitation_codes}
          onInput={(invitation_codes) => change({ invitation_codes })}
        />
      </SettingGroup>
      <SettingGroup title={messages.embedding} about={messages.embeddingText}>
        <TextArea
          label={messages.origins}
          hint={messages.originsHint}
          value={draft.embed_origins}
          onInput={(embed_origins) => change({ embed_origins })}
        />
      </SettingGroup>
      {changed > 0 && (
        <SaveBar
          summary={<span>{settings.unsavedCount(changed)}</span>}
          isBusy={isPending}
          onDiscard={discard}
        >
          {failure && <ErrorNotice error={failure} />}
        </SaveBar>
      )}
      {guard}
    </form>
  );
}

function PublicationGroup({
  saved,
  draft,
  onChange,
}: {
  saved: ProgramPage;
  draft: PageDraft;
  onChange: (change: Partial<PageDraft>) => void;
}): JSX.Element {
  const { program } = useProgram();
  const address = `${location.origin}${API_PATH}/p/${program.slug}`;
  const [code] = linesOf(draft.invitation_codes);
  return (
    <SettingGroup title={messages.about} about={messages.aboutText}>
      <CheckField
        label={messages.published}
        hint={messages.publishedHint}
        checked={draft.published}
        onChange={(published) => onChange({ published })}
      />
      <CopyText label={messages.address} text={address} />
      {code !== undefined && (
        <CopyText
          label={messages.invitationAddress(code)}
          text={`${address}?${new URLSearchParams({ code })}`}
        />
      )}
      {saved.published && (
        <p>
          <a href={address} target="_blank" rel="noopener">
            {messages.open}
          </a>
        </p>
      )}
    </SettingGroup>
  );
}
