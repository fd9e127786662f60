import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { mynah, queryClient } from '../lib/api.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { isMixable, useVoices, VOICES_KEY } from '../lib/use-voices.ts';
import { Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { Slider, TextField } from '../ui/field.tsx';
import { VoicePicker } from '../ui/voice-picker.tsx';

const VOICES_MIN = 2;

/** Makes a voice between two others. */
export function MixDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const t = useTranslate();
  const navigate = useNavigate();
  const { data: all } = useVoices();
  const voices = all?.filter(isMixable);
  const [title, setTitle] = useState('');
  const [share, setShare] = useState(50);
  const [first, setFirst] = useState<string>();
  const [second, setSecond] = useState<string>();
  const ids = [first ?? voices?.[0]?._id, second ?? voices?.[1]?._id];
  const mix = useMutation({
    mutationFn: () =>
      mynah.voices.create({
        title: title.trim(),
        voices: [],
        mix: JSON.stringify(
          ids.map((id, index) => ({ id, weight: Math.max(1, index === 0 ? 100 - share : share) })),
        ),
      }),
    onSuccess: async ({ _id }) => {
      await queryClient.invalidateQueries({ queryKey: VOICES_KEY });
      onClose();
      await navigate({ to: '/voices/$id', params: { id: _id } });
    },
  });
  return (
    <Dialog title={t('Mix two voices')} isOpen={isOpen} onClose={onClose}>
      <DialogForm
        submission={mix}
        action={t('Mix')}
        isComplete={title.trim() !== '' && ids.every(Boolean) && ids[0] !== ids[1]}
        onCancel={onClose}
      >
        <p className="text-muted">
          {voices !== undefined && voices.length < VOICES_MIN
            ? t('A mix needs two voices that are cloned or numbered speakers. Clone a voice first.')
            : t('Your own voices and the numbered speakers can be mixed.')}
        </p>
        <TextField label={t('Name')} value={title} onChange={setTitle} required maxLength={200} />
        <VoicePicker
          label={t('First voice')}
          value={ids[0]}
          filter={isMixable}
          onChange={({ _id }) => setFirst(_id)}
        />
        <VoicePicker
          label={t('Second voice')}
          value={ids[1]}
          filter={isMixable}
          onChange={({ _id }) => setSecond(_id)}
        />
        <Slider
          label={t('Share of the second voice')}
          value={share}
          min={1}
          max={99}
          step={1}
          format={(value) => `${value} %`}
          onChange={setShare}
        />
      </DialogForm>
    </Dialog>
  );
}
