import * as common from '#messages/common.ts';
import * as messages from '#messages/partners.ts';
import type { Partner } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { useToast } from '../../ui/toast.tsx';

type PartnerStatus = Partner['status'];

export interface PartnerStatusChange {
  /** Sets the status, and the reason unless it is empty. @throws ApiError */
  readonly set: (next: PartnerStatus, reason?: string) => Promise<unknown>;
  /** Sets the status, and shows a message with which the user can undo the change. */
  readonly change: (next: PartnerStatus) => Promise<void>;
}

/** Returns functions that change the status of a partner. */
export function usePartnerStatus({ id, name, status }: Partner): PartnerStatusChange {
  const { api } = useProgram();
  const { mutateAsync } = useChange(api);
  const toast = useToast();
  const set = (next: PartnerStatus, reason = '') =>
    mutateAsync({
      method: 'PUT',
      path: `${api}/partners/${id}`,
      body: { status: next, ...(reason !== '' && { status_reason: reason }) },
    });
  const attempt = async (next: PartnerStatus, undo?: PartnerStatus) => {
    try {
      await set(next);
      toast(messages.isNow[next](name), undo && { text: common.undo, run: () => void attempt(undo) });
    } catch (error) {
      toast(error instanceof Error ? error.message : common.changeFailed);
    }
  };
  return { set, change: (next) => attempt(next, status) };
}
