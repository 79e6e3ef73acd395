import { useMutation, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sendCsv } from '../../api/client.ts';
import { formatCount } from '../../format/number.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, TextArea } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { invitationUrl } from '../../ui/invitation.ts';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNotice } from '../../ui/state.tsx';
import { describeResult, type ImportReply, invitationLines } from './import-reply.ts';
import { ImportResults } from './import-results.tsx';

const EXAMPLE = 'name,email,code,status\nAna Blogs,ana@example.com,ANA10,approved';

/** Adds partners from a CSV file: first a check of each row, then the import. */
export function ImportPartners(): JSX.Element {
  const { api, page, may } = useProgram();
  const client = useQueryClient();
  const [csv, setCsv] = useState('');
  const { mutate, data, error, isPending, variables, reset } = useMutation<ImportReply, Error, '0' | '1'>({
    mutationFn: (dryRun) => sendCsv<ImportReply>(`${api}/partners/import`, { dry_run: dryRun }, csv),
    onSuccess: (reply) => {
      if (!reply.meta.dry_run) void client.invalidateQueries();
    },
  });
  const above = <Link to={`${page}/partners`}>Partners</Link>;
  if (!may('partner:create')) {
    return (
      <Page title="Import partners" above={above}>
        <Empty>Your role does not allow this. Ask an owner of the workspace for access.</Empty>
      </Page>
    );
  }
  const change = (text: string) => {
    setCsv(text);
    reset();
  };
  const read = async (file: File | undefined) => {
    if (file) change(await file.text());
  };
  if (data && !data.meta.dry_run) {
    return (
      <Page title="Import partners" above={above}>
        <Imported csv={csv} reply={data} onAgain={() => change('')} />
      </Page>
    );
  }
  const ready = data ? data.meta.created + data.meta.existing : 0;
  return (
    <Page
      title="Import partners"
      above={above}
      intro="A CSV file with the columns name and email, and optionally code and status. At most 500 partners at a time."
    >
      <div class="stack">
        <label class="button file">
          <input
            type="file"
            accept=".csv,text/csv,text/plain"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
          Choose a file
        </label>
        <TextArea
          label="Or paste the rows"
          placeholder={EXAMPLE}
          hint="The first line names the columns. Status is approved or pending, by default approved. Partners who are in the program already stay as they are."
          rows={8}
          value={csv}
          onInput={change}
        />
        <div class="row">
          <Button
            {...(!data && { kind: 'primary' as const })}
            busy={isPending && variables === '1'}
            disabled={csv.trim() === ''}
            onClick={() => mutate('1')}
          >
            Check the rows
          </Button>
          {data && (
            <Button kind="primary" busy={isPending} disabled={ready === 0} onClick={() => mutate('0')}>
              Import {formatCount(ready)} {ready === 1 ? 'partner' : 'partners'}
            </Button>
          )}
        </div>
        {error && <ErrorNotice error={error} />}
        {data && (
          <>
            <div class={data.meta.failed > 0 ? 'notice warn' : 'notice good'} role="status">
              Nothing is imported yet: {describeResult(data.meta)}.
              {data.meta.failed > 0 && ' Rows with errors are left out.'}
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
        Imported: {describeResult(reply.meta)}.
      </div>
      {invitations !== '' && (
        <CopyText
          label="Invitations"
          hint="Send each partner their link. Only this page shows them. They are valid for seven days."
          text={invitations}
        />
      )}
      <ImportResults csv={csv} rows={reply.data} />
      <div class="row">
        <Link to={`${page}/partners`} button="primary">
          Go to the partners
        </Link>
        <Button onClick={onAgain}>Import more</Button>
      </div>
    </div>
  );
}
