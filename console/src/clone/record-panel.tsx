import { useState } from 'react';
import { useRecorder } from '../audio/use-recorder.ts';
import type { Message } from '../lib/i18n.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { LevelMeter, MicrophoneProblem, RecordButton } from '../ui/recording.tsx';

const PROMPTS: readonly Message[] = [
  /* msg */ 'The sun rose slowly over the quiet harbour, and the first boats were already leaving.',
  /* msg */ 'Have you ever wondered why some mornings feel longer than others? I certainly have!',
  /* msg */ 'Please bring three apples, a loaf of bread, and, if you find any, a jar of dark honey.',
];

/** Records a text that is read aloud. */
export function RecordPanel({ onRecording }: { readonly onRecording: (blob: Blob) => void }) {
  const t = useTranslate();
  const recorder = useRecorder({ isClean: true });
  const [prompt, setPrompt] = useState(0);
  const text = PROMPTS[prompt % PROMPTS.length];
  return (
    <div className="flex flex-col gap-3 rounded-xl bg-sunken p-4">
      <p className="text-sm text-muted">{t('Read this aloud, in your usual voice:')}</p>
      <p className="flex-1 text-[1.05rem]">“{text && t(text)}”</p>
      <LevelMeter level={recorder.level} />
      {recorder.error !== undefined && <MicrophoneProblem />}
      <div className="flex flex-wrap items-center gap-2">
        <RecordButton
          isRecording={recorder.isRecording}
          seconds={recorder.seconds}
          onStart={() => void recorder.start()}
          onStop={() => {
            const blob = recorder.stop();
            if (blob) onRecording(blob);
            setPrompt(prompt + 1);
          }}
        />
        {!recorder.isRecording && (
          <Button look="quiet" isSmall onClick={() => setPrompt(prompt + 1)}>
            {t('Another text')}
          </Button>
        )}
      </div>
    </div>
  );
}
