import type { Config } from '../../config/config.ts';
import { withAac } from '../../domain/speech/aac-speech.ts';
import type { SpeechService } from '../../domain/speech/speech-service.ts';
import { ServerFfmpegSlots } from '../../inference/runtime/process/ffmpeg-slots.ts';

/** Part of the FFmpeg processes that speech may use: slow readers must not hold those of uploads. */
const SPEECH_SHARE = 0.5;

/** Wraps a speech service, so that it also speaks as AAC. Its FFmpeg processes count with those of the server. */
export function openAacSpeech(
  config: Pick<Config, 'ffmpegMax' | 'ffmpegPath' | 'queueSeconds'>,
  { speech, ffmpegSlots }: { readonly speech: SpeechService; readonly ffmpegSlots: ServerFfmpegSlots },
): SpeechService {
  const speechSlots = new ServerFfmpegSlots(Math.max(1, Math.floor(SPEECH_SHARE * config.ffmpegMax)));
  const acquire = async (accountId: string, signal: AbortSignal) => {
    const releaseShare = await speechSlots.acquire(accountId, signal);
    try {
      const release = await ffmpegSlots.acquire('speech', signal);
      return () => {
        release();
        releaseShare();
      };
    } catch (error) {
      releaseShare();
      throw error;
    }
  };
  return withAac(speech, {
    ffmpegPath: config.ffmpegPath,
    slots: { acquire },
    waitMs: config.queueSeconds * 1000,
  });
}
