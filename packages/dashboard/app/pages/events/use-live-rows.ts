import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EventListReply } from '../../api/types.ts';
import { countNew } from './event-line.ts';

type EventsReply = EventListReply;

export interface LiveRows {
  /** The reply whose rows are currently shown. */
  readonly shown: EventsReply | undefined;
  /** The number of newer events on the first page that are held back while the user reads. */
  readonly waiting: number;
  readonly showWaiting: () => void;
}

/**
 * Holds back new rows while the user reads, so that rows never move under the pointer.
 * @param latest the latest reply
 * @param list identifies the list; when it changes, the new rows are shown at once
 * @param ref the element that contains the rows
 */
export function useLiveRows(
  latest: EventsReply | undefined,
  list: string,
  ref: RefObject<HTMLElement>,
): LiveRows {
  const [shown, setShown] = useState({ reply: latest, list });
  const isOther = shown.reply === undefined || shown.list !== list;
  const waiting = isOther || latest === undefined ? 0 : countNew(latest.data, shown.reply?.data ?? []);
  useEffect(() => {
    if (latest === undefined) return;
    if (isOther || waiting === 0 || !isReading(ref.current)) setShown({ reply: latest, list });
  }, [latest, list, isOther, waiting, ref]);
  return {
    shown: isOther ? latest : shown.reply,
    waiting,
    showWaiting: () => setShown({ reply: latest, list }),
  };
}

function isReading(element: HTMLElement | null): boolean {
  return scrollY > 0 || (element?.matches(':hover, :focus-within') ?? false);
}
