import { type ReactNode, type Ref, useImperativeHandle, useRef } from 'react';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';

export interface TextEditorHandle {
  /** Inserts a cue at the cursor. */
  insertCue(cue: string): void;
}

/** The text of the playground, with the button that speaks it. Ctrl+Enter speaks too. */
export function TextEditor({
  ref,
  text,
  maxLength,
  isRunning,
  onChange,
  onSpeak,
  onStop,
  children,
}: {
  readonly ref: Ref<TextEditorHandle>;
  readonly text: string;
  readonly maxLength: number | undefined;
  readonly isRunning: boolean;
  readonly onChange: (text: string) => void;
  readonly onSpeak: () => void;
  readonly onStop: () => void;
  /** Size and price of the text. */
  readonly children: ReactNode;
}) {
  const t = useTranslate();
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(ref, () => ({
    insertCue(cue) {
      const at = area.current?.selectionStart ?? text.length;
      const inserted = `(${cue}) `;
      onChange(text.slice(0, at) + inserted + text.slice(at));
      requestAnimationFrame(() => {
        area.current?.focus();
        area.current?.setSelectionRange(at + inserted.length, at + inserted.length);
      });
    },
  }));
  return (
    <section className="card" aria-label={t('Text')}>
      <textarea
        ref={area}
        aria-label={t('Text to speak')}
        dir="auto"
        rows={7}
        value={text}
        {...(maxLength !== undefined && { maxLength })}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          onSpeak();
        }}
        placeholder={t('Write here. Cues such as (sad) or (whispering) change the delivery.')}
        className="block w-full resize-y rounded-t-[14px] bg-transparent p-4 text-[1.05rem] leading-7 placeholder:text-muted focus-visible:outline-offset-[-2px] md:p-5"
      />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3 md:px-5">
        <p className="text-sm text-muted tabular-nums">{children}</p>
        <div className="flex items-center gap-3">
          <kbd className="hidden rounded border border-line px-1.5 py-0.5 font-sans text-xs text-muted sm:block">
            Ctrl ↵
          </kbd>
          {isRunning ? (
            <Button icon="stop" onClick={onStop}>
              {t('Stop')}
            </Button>
          ) : (
            <Button look="primary" icon="play" disabled={text.trim() === ''} onClick={onSpeak}>
              {t('Speak')}
            </Button>
          )}
        </div>
      </div>
    </section>
  );
}
