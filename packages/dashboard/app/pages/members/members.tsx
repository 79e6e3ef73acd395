import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/members.ts';
import type { ListReply, Member } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useSession, useWorkspace } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { InviteMember } from './invite-member.tsx';
import { MemberActions } from './member-actions.tsx';
import { MEMBERS_PATH } from './members-path.ts';
import { RenameWorkspace } from './rename-workspace.tsx';
import { ROLE_NAMES, RoleGuide } from './roles.tsx';

const PAGE_SIZE = 25;

/** The members of a workspace, and what their roles allow. */
export function Members(): JSX.Element {
  const { id, name, may } = useWorkspace();
  const { me } = useSession();
  const [{ page }] = useQueryState();
  const [isInviting, setInviting] = useState(false);
  const [isRenaming, setRenaming] = useState(false);
  const members = useApi<ListReply<Member>>(MEMBERS_PATH, { workspace_id: id, page, pageSize: PAGE_SIZE });
  useLastPage(members);
  const invite = may('member:write') && (
    <Button kind="primary" onClick={() => setInviting(true)}>
      {messages.invite}
    </Button>
  );
  return (
    <Page
      title={common.members}
      error={members.error}
      intro={messages.introOf(name)}
      actions={
        may('member:write') && (
          <>
            <Button onClick={() => setRenaming(true)}>{messages.rename}</Button>
            {invite}
          </>
        )
      }
    >
      <div class="stack">
        <Table
          label={common.members}
          columns={columnsOf(me.user.id)}
          rows={members.data?.data}
          isStale={members.isPlaceholderData}
          error={members.error}
          onRetry={() => void members.refetch()}
          pagination={members.data?.meta.pagination}
          empty={<Empty action={invite}>{messages.none}</Empty>}
        />
        {/* Shown only after the rows have loaded, because the rows would push it down. */}
        {(members.data || members.error) && <RoleGuide />}
      </div>
      {isInviting && <InviteMember onClose={() => setInviting(false)} />}
      {isRenaming && <RenameWorkspace onClose={() => setRenaming(false)} />}
    </Page>
  );
}

function columnsOf(userId: number): readonly Column<Member>[] {
  return [
    {
      title: messages.member,
      cell: ({ name, email, user_id }) => (
        <>
          <strong>{name}</strong>
          {user_id === userId && <span class="quiet"> {messages.isYou}</span>}
          <span class="sub">{email}</span>
        </>
      ),
    },
    { title: messages.role, size: 'fit', cell: ({ role }) => ROLE_NAMES[role] },
    { title: common.status, cell: ({ status }) => <Status status={status} /> },
    { title: messages.added, cell: ({ created_at }) => <Time at={created_at} dateOnly /> },
    { title: '', align: 'end', cell: (member) => <MemberActions member={member} /> },
  ];
}
