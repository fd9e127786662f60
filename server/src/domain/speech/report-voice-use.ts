import type { SpeechService } from './speech-service.ts';

/** The same service, telling which voices have begun to speak, by their names. */
export function reportVoiceUse(
  speech: SpeechService,
  onSpoken: (voices: readonly string[]) => void,
): SpeechService {
  const told = <Result extends { readonly voice: string }>(result: Result): Result => {
    onSpoken(result.voice.split(', '));
    return result;
  };
  return {
    speak: async (request, signal) => told(await speech.speak(request, signal)),
    speakTimed: async (request, signal) => told(await speech.speakTimed(request, signal)),
    speakLive(request, signal) {
      const live = speech.speakLive(request, signal);
      onSpoken(request.voice === undefined ? [] : [request.voice].flat());
      return live;
    },
  };
}
