import type { Config } from '../config/config.ts';
import { withAac } from '../domain/speech/aac-speech.ts';
import type { SpeechService } from '../domain/speech/speech-service.ts';
import type { ServerFfmpegSlots } from '../inference/runtime/process/ffmpeg-slots.ts';

/** Wraps a speech service, so that it also speaks as AAC. Its FFmpeg processes count with those of the server. */
export function openAacSpeech(
  config: Pick<Config, 'ffmpegPath' | 'queueSeconds'>,
  { speech, ffmpegSlots }: { readonly speech: SpeechService; readonly ffmpegSlots: ServerFfmpegSlots },
): SpeechService {
  return withAac(speech, {
    ffmpegPath: config.ffmpegPath,
    slots: { acquire: (signal) => ffmpegSlots.acquire('speech', signal) },
    waitMs: config.queueSeconds * 1000,
  });
}
