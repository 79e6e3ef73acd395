import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTypedState } from './use-typed-state.ts';

const PAUSE_MS = 250;
/** The API rejects longer texts. The start of an id is enough to find it. */
const MAX_LENGTH = 100;

/** A search field. After a short pause in typing, its text is stored as `q` in the URL. */
export function SearchField({ label, placeholder }: { label: string; placeholder: string }): JSX.Element {
  const { value: q, type, leave } = useTypedState('q');
  // When the timer fires, it must change the current URL, not the URL at the time when the user typed.
  const latestType = useRef(type);
  latestType.current = type;
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // The URL contains the text without leading and trailing spaces. The field takes over the value of the URL only if
  // something other than this field has changed the URL, such as the browser's Back button. Otherwise, the field would
  // lose these spaces while the user types.
  const searched = useRef(q);
  useEffect(() => {
    if (q !== searched.current) {
      clearTimeout(timer.current);
      setText(q);
    }
    searched.current = q;
  }, [q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const searchNow = (value: string) => {
    clearTimeout(timer.current);
    if (value.trim() === searched.current) return;
    searched.current = value.trim();
    latestType.current(searched.current);
  };
  const search = (value: string, pauseMs: number) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => searchNow(value), pauseMs);
  };
  return (
    <input
      type="search"
      class="input search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={MAX_LENGTH}
      value={text}
      onInput={(event) => search(event.currentTarget.value, PAUSE_MS)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search(text, 0);
      }}
      onBlur={() => {
        searchNow(text);
        leave();
      }}
    />
  );
}
