import type { JSX } from 'preact';
import { takeFile } from './take-file.ts';
import { TextArea } from './text-area.tsx';

/** A field for CSV text, which can be pasted or read from a file. */
export function CsvInput({
  csv,
  onChange,
  chooseFile,
  ...field
}: {
  csv: string;
  onChange: (csv: string) => void;
  /** Text of the button that chooses a file. */
  chooseFile: string;
  label: string;
  placeholder: string;
  hint: string;
  rows: number;
}): JSX.Element {
  const read = async (file: File | undefined) => {
    if (file) onChange(await file.text());
  };
  return (
    <>
      <label class="button file">
        <input
          type="file"
          accept=".csv,text/csv,text/plain"
          onChange={(event) => void read(takeFile(event.currentTarget))}
        />
        {chooseFile}
      </label>
      <TextArea {...field} value={csv} onInput={onChange} />
    </>
  );
}
