import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/program-page.ts';
import { Button, Field } from '../../ui/controls.tsx';
import { takeFile } from '../../ui/take-file.ts';

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_BYTES = 30 * 1024;

/** A field to choose an image. The image is stored with the page as a `data:` URL. */
export function LogoField({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (logo: string | null) => void;
}): JSX.Element {
  const [isWrong, setWrong] = useState(false);
  const read = (file: File | undefined) => {
    if (!file) return;
    const fits = TYPES.includes(file.type) && file.size <= MAX_BYTES;
    setWrong(!fits);
    if (!fits) return;
    const reader = new FileReader();
    // The result of `readAsDataURL` is always a text.
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  };
  return (
    <>
      <Field label={messages.logo} hint={messages.logoHint} error={isWrong ? messages.logoWrong : null}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="file"
            accept={TYPES.join(',')}
            onChange={({ currentTarget }) => read(takeFile(currentTarget))}
          />
        )}
      </Field>
      {value !== null && (
        <div class="row">
          <img src={value} alt={messages.currentLogo} style={{ maxWidth: '192px', maxHeight: '64px' }} />
          <Button onClick={() => onChange(null)}>{messages.removeLogo}</Button>
        </div>
      )}
    </>
  );
}
