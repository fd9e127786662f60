import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { DesignCandidate } from 'mynah';
import { useEffect, useMemo, useState } from 'react';
import { playPreview, usePreview } from '../audio/preview.ts';
import { mynah, queryClient } from '../lib/api.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { VOICES_KEY } from '../lib/use-voices.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, TextField } from '../ui/field.tsx';
import { ErrorState } from '../ui/states.tsx';

const CANDIDATES = 3;

/** Makes voices from a description, to listen to and to keep. */
export function DesignDialog({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const t = useTranslate();
  const navigate = useNavigate();
  const [instruction, setInstruction] = useState('');
  const [title, setTitle] = useState('');
  const design = useMutation({
    mutationFn: () => mynah.voices.design({ instruction: instruction.trim(), n: CANDIDATES }),
  });
  const keep = useMutation({
    mutationFn: ({ audio, signature }: DesignCandidate) =>
      mynah.voices.create({
        title: title.trim() || instruction.trim().slice(0, 60),
        voices: [new Blob([audio], { type: 'audio/wav' })],
        voice_design_signatures: [signature],
      }),
    onSuccess: async ({ _id }) => {
      await queryClient.invalidateQueries({ queryKey: VOICES_KEY });
      onClose();
      await navigate({ to: '/voices/$id', params: { id: _id } });
    },
  });
  return (
    <Dialog title={t('Design a voice')} isOpen={isOpen} onClose={onClose} isWide>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          design.mutate();
        }}
      >
        <Field
          label={t('Description')}
          hint={t('In English, for example: a calm, deep voice of an older man.')}
        >
          {(id) => (
            <textarea
              id={id}
              rows={3}
              maxLength={1000}
              className="input"
              value={instruction}
              onChange={(event) => setInstruction(event.target.value)}
            />
          )}
        </Field>
        <TextField label={t('Name')} value={title} onChange={setTitle} maxLength={200} />
        <Button type="submit" look="primary" isBusy={design.isPending} disabled={instruction.trim() === ''}>
          {t('Make suggestions')}
        </Button>
        {(design.error ?? keep.error) && <ErrorState error={design.error ?? keep.error} />}
        {design.data && (
          <>
            {design.data.ignored.length > 0 && (
              <p className="text-sm text-muted">
                {t('Not understood: {words}', { words: design.data.ignored.join(', ') })}
              </p>
            )}
            <ul className="divide-y divide-line">
              {design.data.candidates.map((candidate) => (
                <Candidate
                  key={candidate.id}
                  candidate={candidate}
                  isBusy={keep.isPending}
                  onKeep={() => keep.mutate(candidate)}
                />
              ))}
            </ul>
          </>
        )}
      </form>
    </Dialog>
  );
}

function Candidate({
  candidate,
  isBusy,
  onKeep,
}: {
  readonly candidate: DesignCandidate;
  readonly isBusy: boolean;
  readonly onKeep: () => void;
}) {
  const t = useTranslate();
  const playing = usePreview();
  const url = useMemo(
    () => URL.createObjectURL(new Blob([candidate.audio], { type: 'audio/wav' })),
    [candidate],
  );
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <li className="flex items-center gap-3 py-2">
      <IconButton
        label={playing === url ? t('Stop') : t('Play')}
        icon={playing === url ? 'stop' : 'play'}
        onClick={() => playPreview(url)}
      />
      <span className="flex-1">{t('Suggestion {number}', { number: candidate.index + 1 })}</span>
      <Button isSmall isBusy={isBusy} onClick={onKeep}>
        {t('Keep this voice')}
      </Button>
    </li>
  );
}
