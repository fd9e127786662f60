import { useId, useState } from 'react';
import { useTranslate } from '../lib/use-translate.ts';
import { Icon } from './icons.tsx';

/** Takes files by drag and drop or by the file dialog. */
export function DropZone({
  label,
  hint,
  isMultiple = false,
  onFiles,
}: {
  readonly label: string;
  readonly hint: string;
  readonly isMultiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}) {
  const t = useTranslate();
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file input inside does the same by keyboard
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
      className={`rounded-xl border-2 border-dashed p-6 text-center ${isOver ? 'border-accent bg-accent-soft' : 'border-line-strong'}`}
    >
      <input
        id={id}
        type="file"
        accept="audio/*,video/*"
        multiple={isMultiple}
        className="peer sr-only"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <label
        htmlFor={id}
        className="inline-flex cursor-pointer flex-col items-center gap-1 rounded-lg peer-focus-visible:outline-2 peer-focus-visible:outline-offset-4 peer-focus-visible:outline-accent"
      >
        <span className="mb-1 flex size-11 items-center justify-center rounded-full bg-accent-soft text-accent">
          <Icon name="upload" />
        </span>
        <span className="font-medium">{label}</span>
        <span className="text-sm text-muted">{hint}</span>
        <span className="text-sm text-accent underline">{t('Choose a file')}</span>
      </label>
    </div>
  );
}
