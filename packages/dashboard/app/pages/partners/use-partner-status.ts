import type { Partner } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { useToast } from '../../ui/toast.tsx';

type PartnerStatus = Partner['status'];

const DONE: Readonly<Record<PartnerStatus, string>> = {
  approved: 'approved',
  pending: 'pending again',
  rejected: 'rejected',
  banned: 'banned',
};

export interface StatusChange {
  /** Sets the status. @throws ApiError */
  readonly set: (next: PartnerStatus) => Promise<unknown>;
  /** Sets the status, and offers to undo it. */
  readonly change: (next: PartnerStatus) => Promise<void>;
}

/** Changes the status of a partner. */
export function usePartnerStatus({ id, name, status }: Partner): StatusChange {
  const { api } = useProgram();
  const { mutateAsync } = useChange(api);
  const toast = useToast();
  const set = (next: PartnerStatus) =>
    mutateAsync({ method: 'PUT', path: `${api}/partners/${id}`, body: { status: next } });
  const attempt = async (next: PartnerStatus, undo?: PartnerStatus) => {
    try {
      await set(next);
      toast(`${name} is ${DONE[next]}.`, undo && { text: 'Undo', run: () => void attempt(undo) });
    } catch (error) {
      toast(error instanceof Error ? error.message : 'The change failed.');
    }
  };
  return { set, change: (next) => attempt(next, status) };
}
