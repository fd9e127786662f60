import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Voice } from 'mynah';
import { useEffect, useRef, useState } from 'react';
import { Take } from '../audio/take.ts';
import { mynah } from '../lib/api.ts';
import { readStored, writeStored } from '../lib/storage.ts';
import { useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { DEFAULT_SETTINGS } from '../playground/settings.ts';
import { TakeCard } from '../playground/take-card.tsx';
import { Button } from '../ui/button.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { isBeingRefined } from '../voices/is-refining.ts';
import { Similarity } from '../voices/similarity.tsx';
import { VerdictList } from '../voices/verdicts.tsx';
import { Comparison } from './comparison.tsx';
import type { Recording } from './recording.ts';

const POLL_MS = 3000;

/** The new voice speaks, next to the recording, and again when its refinement has ended. */
export function CloneResult({
  created,
  recordings,
  onAgain,
}: {
  readonly created: Voice;
  readonly recordings: readonly Recording[];
  readonly onAgain: () => void;
}) {
  const t = useTranslate();
  const navigate = useNavigate();
  const { data: voice = created } = useQuery({
    queryKey: ['voice', created._id],
    queryFn: ({ signal }) => mynah.voices.get(created._id, { signal }),
    initialData: created,
    // A voice that is being refined changes.
    refetchInterval: ({ state }) => (isBeingRefined(state.data) ? POLL_MS : false),
  });
  const isRefining = isBeingRefined(voice);
  const wasRefining = useRef(isRefining);
  const [before, setBefore] = useState<Take>();
  const [current, setCurrent] = useState<Take>();
  const speak = useSpeak(voice);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the voice speaks once, and once more after its refinement
  useEffect(() => {
    if (!wasRefining.current || isRefining) return;
    wasRefining.current = false;
    setBefore(current);
    setCurrent(speak({ isSilent: true }));
  }, [isRefining]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the voice speaks once
  useEffect(() => {
    const take = speak({ isSilent: false });
    setCurrent(take);
    return () => take.stop();
  }, []);
  return (
    <>
      <PageHeader title={t('{name} is ready', { name: voice.title })} />
      <div className="max-w-3xl space-y-5">
        {current && <TakeCard key={current.info.id} take={current} />}
        <Comparison recordings={recordings} before={before} current={current} />
        <Similarity voice={voice} />
        {voice.quality && (
          <section className="card p-5">
            <h2 className="mb-1 font-semibold">{t('Your recordings')}</h2>
            <VerdictList audios={voice.quality.audios} />
          </section>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            look="primary"
            icon="wave"
            onClick={() => {
              writeStored('mynah.playground', {
                ...readStored('mynah.playground', DEFAULT_SETTINGS),
                voiceId: voice._id,
              });
              void navigate({ to: '/' });
            }}
          >
            {t('Speak with this voice')}
          </Button>
          <Link
            to="/voices/$id"
            params={{ id: voice._id }}
            className="inline-flex min-h-10 items-center rounded-[9px] border border-line-strong px-4 font-medium hover:bg-sunken"
          >
            {t('Details')}
          </Link>
          <Button look="quiet" onClick={onAgain}>
            {t('Clone another voice')}
          </Button>
        </div>
      </div>
    </>
  );
}

/** Returns a function that makes the voice speak the same sentence each time. */
function useSpeak(voice: Voice) {
  const t = useTranslate();
  const { data: state } = useConsole();
  const model = state?.default_model ?? 's1';
  const text = t('This is how I sound now. Listen to the recording, then to me, and compare.');
  return ({ isSilent }: { readonly isSilent: boolean }): Take => {
    const take = new Take({
      id: `${voice._id}-${Date.now()}`,
      text,
      voiceId: voice._id,
      voiceTitle: voice.title,
      model,
      speed: 1,
      volume: 0,
      createdAtMs: Date.now(),
    });
    void take.run({ model, reference_id: voice._id }, { isSilent });
    return take;
  };
}
