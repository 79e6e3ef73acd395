import { useMutation, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/import.ts';
import { isLost } from '../../api/client.ts';
import { sendCsv } from '../../api/send-csv.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { CsvInput } from '../../ui/csv-input.tsx';
import { invitationUrl } from '../../ui/invitation.ts';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNotice } from '../../ui/state.tsx';
import { type ImportReply, invitationLines } from './import-reply.ts';
import { ImportResults } from './import-results.tsx';

/** Imports partners from a CSV file. First each row is checked, then the partners are imported. */
export function ImportPartners(): JSX.Element {
  const { api, page, may } = useProgram();
  const client = useQueryClient();
  const [csv, setCsv] = useState('');
  const { mutate, data, error, isPending, variables, reset } = useMutation<ImportReply, Error, '0' | '1'>({
    mutationFn: (dryRun) => sendCsv<ImportReply>(`${api}/partners/import`, { dry_run: dryRun }, csv),
    onSuccess: (reply) => {
      if (!reply.meta.dry_run) void client.invalidateQueries();
    },
    onError: (failure, dryRun) => {
      if (dryRun === '0' && isLost(failure)) void client.invalidateQueries();
    },
  });
  const above = <Link to={`${page}/partners`}>{common.partners}</Link>;
  if (!may('partner:create')) {
    return (
      <Page title={messages.title} above={above}>
        <Empty>{common.forbidden}</Empty>
      </Page>
    );
  }
  const change = (text: string) => {
    setCsv(text);
    reset();
  };
  if (data && !data.meta.dry_run) {
    return (
      <Page title={messages.title} above={above}>
        <Imported csv={csv} reply={data} onAgain={() => change('')} />
      </Page>
    );
  }
  const ready = data ? data.meta.created + data.meta.existing : 0;
  return (
    <Page title={messages.title} above={above} intro={messages.intro}>
      <div class="stack">
        {/* During an import, a change would discard the reply, which contains the only copy of the invitations. */}
        <fieldset class="plain stack" disabled={isPending && variables === '0'}>
          <CsvInput
            csv={csv}
            onChange={change}
            chooseFile={messages.chooseFile}
            label={messages.paste}
            placeholder={messages.example}
            hint={messages.pasteHint}
            rows={8}
          />
        </fieldset>
        <div class="row">
          <Button
            {...(!data && { kind: 'primary' as const })}
            busy={isPending}
            disabled={csv.trim() === ''}
            onClick={() => mutate('1')}
          >
            {messages.check}
          </Button>
          {data && (
            <Button kind="primary" busy={isPending} disabled={ready === 0} onClick={() => mutate('0')}>
              {messages.importCount(ready)}
            </Button>
          )}
        </div>
        {error && (
          <ErrorNotice error={variables === '0' && isLost(error) ? new Error(messages.lost) : error} />
        )}
        {data && (
          <>
            <div class={data.meta.failed > 0 ? 'notice warn' : 'notice good'} role="status">
              {messages.checked(data.meta)}
            </div>
            <ImportResults csv={csv} rows={data.data} />
          </>
        )}
      </div>
    </Page>
  );
}

function Imported({
  csv,
  reply,
  onAgain,
}: {
  csv: string;
  reply: ImportReply;
  onAgain: () => void;
}): JSX.Element {
  const { page } = useProgram();
  const invitations = invitationLines(csv, reply.data, invitationUrl);
  return (
    <div class="stack">
      <div class={reply.meta.failed > 0 ? 'notice warn' : 'notice good'} role="status">
        {messages.imported(reply.meta)}
      </div>
      {invitations !== '' && (
        <CopyText label={messages.invitations} hint={messages.invitationsHint} text={invitations} />
      )}
      <ImportResults csv={csv} rows={reply.data} />
      <div class="row">
        <Link to={`${page}/partners`} button="primary">
          {common.goToPartners}
        </Link>
        <Button onClick={onAgain}>{messages.importMore}</Button>
      </div>
    </div>
  );
}
