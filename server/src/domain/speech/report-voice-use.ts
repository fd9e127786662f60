import type { SpeechService } from './speech-service.ts';

/** Wraps a speech service and reports the names or ids of the voices of each started request. */
export function reportVoiceUse(
  speech: SpeechService,
  onVoicesUsed: (voices: readonly string[]) => void,
): SpeechService {
  const report = <Result extends { readonly voice: string }>(result: Result): Result => {
    onVoicesUsed(result.voice.split(', '));
    return result;
  };
  return {
    speak: async (request, signal) => report(await speech.speak(request, signal)),
    speakTimed: async (request, signal) => report(await speech.speakTimed(request, signal)),
    speakLive(request, signal) {
      const live = speech.speakLive(request, signal);
      onVoicesUsed(request.voice === undefined ? [] : [request.voice].flat().map(({ id }) => id));
      return live;
    },
  };
}
