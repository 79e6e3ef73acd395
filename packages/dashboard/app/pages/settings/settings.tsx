import { Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/settings.tsx';
import type { Program } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Status } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import { withoutSent } from '../../ui/unsaved.ts';
import { useLeaveGuard } from '../../ui/use-leave-guard.tsx';
import { PayoutSettingsGroup } from './payout-settings.tsx';
import { ProgramActions } from './program-actions.tsx';
import { SaveBar } from './save-bar.tsx';
import { SettingGroups } from './setting-groups.tsx';
import {
  changedSettings,
  checkSettingsDraft,
  describeSetting,
  type SettingErrors,
  type SettingName,
  type SettingsDraft,
  settingOf,
  settingsBodyOf,
  settingsDraftOf,
} from './settings-draft.ts';

/** The settings of a program. */
export function Settings(): JSX.Element {
  const { program } = useProgram();
  return <SettingsForm key={program.id} program={program} />;
}

function SettingsForm({ program }: { program: Program }): JSX.Element {
  const { api, may } = useProgram();
  const { mutateAsync, isPending } = useChange('/api/advertiser/affiliate-programs');
  const toast = useToast();
  const [changes, setChanges] = useState<Partial<SettingsDraft>>({});
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const draft = { ...settingsDraftOf(program), ...changes };
  const changed = changedSettings(draft, program);

  const change = (next: Partial<SettingsDraft>) => {
    setFailure(null);
    setChanges((before) => ({ ...before, ...next }));
  };
  const discard = () => {
    setChanges({});
    setFailure(null);
    setChecked(false);
  };
  const guard = useLeaveGuard(changed.length > 0, discard);
  const save = async () => {
    setChecked(true);
    setFailure(null);
    if (Object.keys(checkSettingsDraft(draft)).length > 0) return;
    try {
      await mutateAsync({ method: 'PUT', path: api, body: settingsBodyOf(changed, draft), stays: true });
      toast(messages.saved(labelsOf(changed)));
      setChanges((now) => withoutSent(now, changes));
      setChecked(false);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const failed = failure && settingOf(failure);
  const errors: SettingErrors = {
    ...(isChecked && checkSettingsDraft(draft)),
    ...(failure && failed && { [failed]: failure.message }),
  };
  return (
    <Page title={common.settings} intro={<Status status={program.status} />}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) void save();
        }}
      >
        <fieldset class="plain" disabled={!may('program:update')}>
          <legend class="hidden">{messages.settingsOf(program.name)}</legend>
          <SettingGroups program={program} draft={draft} errors={errors} onChange={change} />
        </fieldset>
        {changed.length > 0 && (
          <UnsavedSettings
            changed={changed}
            saved={settingsDraftOf(program)}
            draft={draft}
            errors={errors}
            failure={failed ? null : failure}
            isBusy={isPending}
            onDiscard={discard}
          />
        )}
      </form>
      <PayoutSettingsGroup />
      <ProgramActions program={program} />
      {guard}
    </Page>
  );
}

function labelsOf(names: readonly SettingName[]): string[] {
  return names.map((name) => messages.labels[name]);
}

/** The unsaved settings, with buttons to save or discard them. */
function UnsavedSettings({
  changed,
  saved,
  draft,
  errors,
  failure,
  isBusy,
  onDiscard,
}: {
  changed: readonly SettingName[];
  saved: SettingsDraft;
  draft: SettingsDraft;
  errors: SettingErrors;
  failure: Error | null;
  isBusy: boolean;
  onDiscard: () => void;
}): JSX.Element {
  const failed = Object.keys(errors) as SettingName[];
  return (
    <SaveBar
      summary={
        <details>
          <summary>
            {messages.unsavedCount(changed.length)}
            <span class="quiet"> {messages.unsavedLabels(labelsOf(changed))}</span>
          </summary>
          <dl class="facts">
            {changed.map((name) => (
              <Fragment key={name}>
                <dt>{messages.labels[name]}</dt>
                <dd>
                  <del class="quiet">{describeSetting(name, saved)}</del> → {describeSetting(name, draft)}
                </dd>
              </Fragment>
            ))}
          </dl>
        </details>
      }
      isBusy={isBusy}
      onDiscard={onDiscard}
    >
      {failed.length > 0 && (
        <p class="bad-text" role="alert">
          {messages.notSaved(labelsOf(failed))}
        </p>
      )}
      {failure && <ErrorNotice error={failure} />}
    </SaveBar>
  );
}
