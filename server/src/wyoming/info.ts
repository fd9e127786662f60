import { VERSION } from '../config/package-info.ts';
import type { WyomingBackend } from './backend.ts';

const ATTRIBUTION = { name: 'Mynah', url: '' };
const INSTALLED = { attribution: ATTRIBUTION, installed: true, version: VERSION };

/** The `info` event: one program for speech and one for transcription. */
export async function describeServices(backend: WyomingBackend, signal: AbortSignal): Promise<object> {
  const voices = await backend.listVoices(signal);
  return {
    tts: [
      {
        ...INSTALLED,
        name: 'mynah',
        description: 'Text to speech',
        supports_synthesize_streaming: true,
        voices: voices.map(({ id, title, languages }) => ({
          ...INSTALLED,
          name: id,
          description: title,
          languages,
          speakers: null,
        })),
      },
    ],
    asr: [
      {
        ...INSTALLED,
        name: 'mynah',
        description: 'Speech to text',
        supports_transcript_streaming: false,
        models: [
          {
            ...INSTALLED,
            name: 'transcribe-1',
            description: 'transcribe-1',
            languages: backend.transcriptionLanguages,
          },
        ],
      },
    ],
    handle: [],
    intent: [],
    wake: [],
    mic: [],
    snd: [],
  };
}
